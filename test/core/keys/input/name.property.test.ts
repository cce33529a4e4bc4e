import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkName } from '../../../../src/keys/input/name.ts'
import { runs } from '../../../support/runs.ts'

const nameOf = (raw: string) => {
  const result = checkName(raw)
  return result.ok ? result.name : result.code
}

/** The rules once more, character by character. */
function reference(raw: string): string {
  const points = Array.from(raw, (character) => character.codePointAt(0) ?? 0)
  if (points.some(isForbidden)) return 'forbidden_character'
  const name = raw.trim().normalize('NFC')
  const drawn = Array.from(name).filter((letter) => !/^(\s|\p{DI})$/u.test(letter))
  if (drawn.length === 0) return 'required'
  return Array.from(name).length > 120 ? 'too_long' : name
}

function isForbidden(point: number): boolean {
  const within = (from: number, to: number) => point >= from && point <= to
  if (within(0, 0x1f) || within(0x7f, 0x9f) || within(0x2028, 0x2029)) return true
  if (within(0x202a, 0x202e) || within(0x2066, 0x2069)) return true
  return point === 0xfeff || within(0xd800, 0xdfff)
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
