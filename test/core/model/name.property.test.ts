import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkName } from '../../../src/model/name.ts'
import { runs } from '../../support/runs.ts'

const nameOf = (raw: string) => {
  const result = checkName(raw)
  return result.ok ? result.name : result.code
}

/** The rules once more, character by character. */
function reference(raw: string): string {
  const name = raw.trim().normalize('NFC')
  const drawn = Array.from(name).filter(
    (letter) => !/^(\p{White_Space}|\p{DI}|[\u2800\u{1d159}])$/u.test(letter),
  )
  if (drawn.length === 0) return 'required'
  if (Array.from(raw).some(isForbidden)) return 'forbidden_character'
  return Array.from(name).length > 120 ? 'too_long' : name
}

function isForbidden(character: string): boolean {
  if (/^[\u200c-\u200d\u180e\p{VS}]$/u.test(character)) return false
  return /^(\p{Cc}|\p{Cs}|\p{Zl}|\p{Zp}|\p{DI}|[\ufff9-\ufffb])$/u.test(character)
}

test('any text is judged as the rules say', () => {
  const letter = fc.oneof(
    { weight: 4, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(' ', '\u00a0', '\u200c', '\u200d', 'e\u0301', 'ن', '🔑'),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom('\u200e', '\u200b', '\u2800', '\ufe0f', '\u{e0041}', '\u{e0100}'),
    },
    {
      weight: 1,
      arbitrary: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
    },
  )
  const text = fc
    .tuple(fc.array(letter, { maxLength: 12 }), fc.constantFrom(1, 1, 1, 10, 15))
    .map(([letters, times]) => letters.join('').repeat(times))
  fc.assert(
    fc.property(text, (raw) => {
      expect(nameOf(raw)).toBe(reference(raw))
    }),
    { numRuns: runs(20_000) },
  )
})

test('a name that was taken is taken again unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 130 }), (raw) => {
      const first = checkName(raw)
      if (first.ok) expect(nameOf(first.name)).toBe(first.name)
    }),
    { numRuns: runs(3_000) },
  )
})
