import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sha256Hex as byNode } from '../../../src/secret/sha256-node.ts'
import { sha256Hex as portable } from '../../../src/secret/sha256-portable.ts'
import { runs } from '../../support/runs.ts'

test('both agree with each other and with an independent one, on any text', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.string({ unit: fc.constantFrom('a', 'é', 'ن', '漢', '\u{1F511}'), maxLength: 200 }),
  )
  fc.assert(
    fc.property(text, (value) => {
      const expected = createHash('sha256').update(value, 'utf8').digest('hex')
      expect(byNode(value)).toBe(expected)
      expect(portable(value)).toBe(expected)
    }),
    { numRuns: runs(3_000) },
  )
})
