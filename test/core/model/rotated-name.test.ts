import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkName } from '../../../src/model/name.ts'
import { rotatedName } from '../../../src/model/rotated-name.ts'
import { runs } from '../../support/runs.ts'

const SUFFIX = ' (rotated)'
const points = (text: string) => Array.from(text).length

describe('the name of a replacement', () => {
  const family = '👩‍👩‍👧‍👦'
  test.each([
    ['a short one', 'CRM', 'CRM (rotated)'],
    ['twice', 'CRM (rotated)', 'CRM (rotated) (rotated)'],
    ['Arabic', 'مزامنة', 'مزامنة (rotated)'],
    ['110 characters fit', 'a'.repeat(110), `${'a'.repeat(110)}${SUFFIX}`],
    ['111 are cut', 'a'.repeat(111), `${'a'.repeat(110)}${SUFFIX}`],
    ['120 are cut', 'a'.repeat(120), `${'a'.repeat(110)}${SUFFIX}`],
    ['120 keys', '🔑'.repeat(120), `${'🔑'.repeat(110)}${SUFFIX}`],
    [
      'no space before the suffix but its own',
      `${'a'.repeat(109)} ${'b'.repeat(10)}`,
      `${'a'.repeat(109)}${SUFFIX}`,
    ],
    ['many spaces at the cut', `${'a'.repeat(60)}${' '.repeat(55)}b`, `${'a'.repeat(60)}${SUFFIX}`],
    ['a family is kept or left', `${'a'.repeat(105)}${family}bcdef`, `${'a'.repeat(105)}${SUFFIX}`],
    [
      'a family that just fits',
      `${'a'.repeat(103)}${family}bcdef`,
      `${'a'.repeat(103)}${family}${SUFFIX}`,
    ],
    [
      'a letter keeps its marks',
      `${'a'.repeat(109)}q\u0323\u0307${'b'.repeat(8)}`,
      `${'a'.repeat(109)}${SUFFIX}`,
    ],
    ['a flag is not halved', `${'a'.repeat(109)}🇸🇦${'b'.repeat(9)}`, `${'a'.repeat(109)}${SUFFIX}`],
    ['one letter under 119 marks', `a${'\u0323'.repeat(119)}`, `a${'\u0323'.repeat(109)}${SUFFIX}`],
  ])('%s', (_, name, expected) => {
    expect(rotatedName(name)).toBe(expected)
  })

  test('rotating again and again ends at 120', () => {
    let name = 'x'.repeat(120)
    for (let round = 0; round < 5; round += 1) name = rotatedName(name)
    expect(points(name)).toBe(120)
    expect(name.endsWith(SUFFIX)).toBe(true)
  })
})

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
