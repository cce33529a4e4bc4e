import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkName, rotatedName } from '../../../src/model/name.ts'
import { runs } from '../../support/runs.ts'

const SUFFIX = ' (rotated)'
const points = (text: string) => Array.from(text).length

test('of any good name it is a good name, as long as can be', () => {
  const letter = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    fc.constantFrom('a', ' ', 'ن', '👩‍👩‍👧‍👦', '🇸🇦', 'q\u0323\u0307', '\u0323'.repeat(40)),
  )
  const name = fc
    .array(letter, { minLength: 1, maxLength: 120 })
    .map((letters) => checkName(Array.from(letters.join('')).slice(0, 120).join('')))
    .filter((result) => result.ok)
  fc.assert(
    fc.property(name, (result) => {
      const rotated = rotatedName(result.name)
      expect(points(rotated)).toBeLessThanOrEqual(120)
      expect(rotated.endsWith(SUFFIX)).toBe(true)
      expect(checkName(rotated)).toEqual({ ok: true, name: rotated })
      const base = rotated.slice(0, -SUFFIX.length)
      expect(result.name.startsWith(base)).toBe(true)
      if (points(result.name) <= 110) expect(base).toBe(result.name)
      else expect(base).toBe(cut(result.name))
    }),
    { numRuns: runs(5_000) },
  )
})

/** The longest run of whole graphemes within 110 code points, found the slow way. */
function cut(name: string): string {
  const letters = Array.from(new Intl.Segmenter('en').segment(name), ({ segment }) => segment)
  let count = letters.length
  while (count > 0 && points(letters.slice(0, count).join('')) > 110) count -= 1
  const kept =
    count > 0 ? letters.slice(0, count).join('') : Array.from(name).slice(0, 110).join('')
  return kept.trimEnd()
}
