import { expect, test } from 'vitest'
import { partsOf } from '../../../adapters/storage/lib/parts.ts'

test('parts are as large as they may be, and in order', () => {
  expect(partsOf([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]])
  expect(partsOf([1, 2], 2)).toEqual([[1, 2]])
  expect(partsOf([], 2)).toEqual([])
})
