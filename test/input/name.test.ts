import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkName } from '../../src/input/name.ts'
import { runs } from '../support/runs.ts'

const nameOf = (raw: string) => {
  const result = checkName(raw)
  return result.ok ? result.name : result.code
}

describe('names that are taken as they are', () => {
  test.each([
    'CRM sync',
    'x',
    'مزامنة العملاء',
    'מפתח',
    '本番キー',
    'Ключ № 1',
    'می‌خواهم',
    'क्‍ष',
    '👩‍👩‍👧‍👦 family',
    '🇸🇦',
    '👍🏽',
    '🔑'.repeat(120),
    'a'.repeat(120),
    'ن'.repeat(120),
    '<img src=x onerror=alert(1)>',
    '=1+1',
    "'; DROP TABLE keys; --",
    '{{7*7}} $' + '{7*7}',
    'a\u200eb',
    'a\u00a0b',
    'a  b',
    '__proto__',
    '\u{10ffff}x',
  ])('%s', (name) => {
    expect(nameOf(name)).toBe(name)
  })
})

describe('names that are brought into form', () => {
  test.each([
    ['space around', '  CRM sync  ', 'CRM sync'],
    ['a no-break space around', '\u00a0CRM\u3000', 'CRM'],
    ['120 after trimming', ` ${'a'.repeat(120)} `, 'a'.repeat(120)],
    ['a letter and its accent', 'Cafe\u0301', 'Caf\u00e9'],
    ['an Arabic letter and its hamza', '\u0627\u0654', '\u0623'],
    ['Hangul jamo', '\u1112\u1161\u11ab', '\u{d55c}'],
    ['120 letters and their accents', 'e\u0301'.repeat(120), '\u00e9'.repeat(120)],
  ])('%s', (_, raw, name) => {
    expect(nameOf(raw)).toBe(name)
  })
})

describe('names that are refused', () => {
  test.each([
    ['', 'required'],
    [' ', 'required'],
    ['\u00a0\u3000\u2003', 'required'],
    ['\u200b', 'required'],
    ['\u200c\u200d', 'required'],
    ['\u00ad\u2060\u034f\u3164\ufe0f', 'required'],
    ['\u{e0041}\u{e007f}', 'required'],
    ['\u115f \u1160', 'required'],
    ['a'.repeat(121), 'too_long'],
    ['🔑'.repeat(121), 'too_long'],
    ['a'.repeat(1_000_000), 'too_long'],
    // NFC takes this letter apart: 61 of them are 122 code points.
    ['\u0958'.repeat(61), 'too_long'],
  ])('%.20j is %s', (raw, code) => {
    expect(nameOf(raw)).toBe(code)
  })

  const FORBIDDEN = [
    ...range(0x00, 0x1f),
    ...range(0x7f, 0x9f),
    0x2028,
    0x2029,
    ...range(0x202a, 0x202e),
    ...range(0x2066, 0x2069),
    0xfeff,
    0xd800,
    0xdbff,
    0xdc00,
    0xdfff,
  ]

  test('every forbidden character, wherever it stands', () => {
    for (const code of FORBIDDEN) {
      const character = String.fromCharCode(code)
      for (const raw of [`a${character}b`, `${character}ab`, `ab${character}`, character]) {
        expect(nameOf(raw), `U+${code.toString(16)}`).toBe('forbidden_character')
      }
    }
  })

  test('and no other character of the first plane', () => {
    const forbidden = new Set(FORBIDDEN)
    for (let code = 0; code < 0x10000; code += 1) {
      if (forbidden.has(code) || (code >= 0xd800 && code <= 0xdfff)) continue
      const answer = nameOf(`a${String.fromCharCode(code)}b`)
      if (answer === 'forbidden_character') expect.fail(`U+${code.toString(16)} is refused`)
    }
  })

  test('a pair of surrogates is a character, the wrong way round it is none', () => {
    expect(nameOf('\ud83d\udd11')).toBe('🔑')
    expect(nameOf('\udd11\ud83d')).toBe('forbidden_character')
  })

  test('no message repeats the name', () => {
    for (const raw of ['hunter2\u202e', `hunter2${'a'.repeat(120)}`]) {
      expect(JSON.stringify(checkName(raw))).not.toContain('hunter2')
    }
  })
})

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

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at)
}
