import { expect, test } from 'vitest'
import { ownOptions } from '../../../src/lib/own-data.ts'

test('options have nothing inherited', () => {
  const options = ownOptions(Object.assign(Object.create({ polluted: true }), { own: 1 }))
  expect(Object.getPrototypeOf(options)).toBeNull()
  expect(options).toEqual({ own: 1 })
})
