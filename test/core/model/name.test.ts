import { describe, expect, test } from 'vitest'
import { checkName } from '../../../src/model/name.ts'

const nameOf = (raw: string) => {
  const result = checkName(raw)
  return result.ok ? result.name : result.code
}

describe('names that are taken as they are', () => {
  test.each([
    'CRM sync',
    'مزامنة العملاء',
    'מפתח',
    'می‌خواهم',
    'क्‍ष',
    '👩‍👩‍👧‍👦 family',
    '🔑'.repeat(120),
    'a'.repeat(120),
    '<img src=x onerror=alert(1)>',
    '❤\ufe0f‍🔥 1\ufe0f⃣',
    '辻\u{e0100}',
    'ᠮᠣᠩᠭᠣᠯ\u180eᠠ',
    'a\u2800b',
    '__proto__',
    '\u{10ffff}x',
  ])('%s', (name) => {
    expect(nameOf(name)).toBe(name)
  })
})

describe('names that are brought into form', () => {
  test.each([
    ['space around', '  CRM sync  ', 'CRM sync'],
    ['120 after trimming', ` ${'a'.repeat(120)} `, 'a'.repeat(120)],
    ['a letter and its accent', 'Cafe\u0301', 'Caf\u00e9'],
    ['an Arabic letter and its hamza', '\u0627\u0654', '\u0623'],
    ['120 letters and their accents', 'e\u0301'.repeat(120), '\u00e9'.repeat(120)],
  ])('%s', (_, raw, name) => {
    expect(nameOf(raw)).toBe(name)
  })
})

describe('names that are refused', () => {
  test.each([
    ['', 'required'],
    ['\u00a0\u3000\u2003', 'required'],
    // The one white space that `\s` does not know.
    ['\u0085', 'required'],
    ['\u00ad\u2060\u034f\u3164\ufe0f', 'required'],
    ['\u2800', 'required'],
    [' \u2800\u{1d159}\ufe0f ', 'required'],
    ['\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}', 'forbidden_character'],
    [`${'a'.repeat(120)}\0`, 'forbidden_character'],
    ['a'.repeat(121), 'too_long'],
    ['🔑'.repeat(121), 'too_long'],
    // NFC takes this letter apart: 61 of them are 122 code points.
    ['\u0958'.repeat(61), 'too_long'],
  ])('%j is %s', (raw, code) => {
    expect(nameOf(raw)).toBe(code)
  })

  /** Code points, alone or from one to another. */
  const FORBIDDEN = [
    '0-1f 7f-9f ad 34f 61c 115f-1160 17b4-17b5 200b 200e-200f 2028-202e 2060-206f 3164 d800-dfff',
    'feff ffa0 fff0-fffb 1bca0-1bca3 1d173-1d17a e0000-e00ff e01f0-e0fff',
  ].flatMap((line) =>
    line.split(' ').flatMap((range) => {
      const [from = 0, to = from] = range.split('-').map((digits) => Number.parseInt(digits, 16))
      return Array.from({ length: to - from + 1 }, (_, at) => from + at)
    }),
  )

  test('every forbidden character, wherever it stands', () => {
    for (const code of FORBIDDEN) {
      const character = String.fromCodePoint(code)
      for (const raw of [`a${character}b`, `${character}ab`, `ab${character}`]) {
        expect(nameOf(raw), `U+${code.toString(16)}`).toBe('forbidden_character')
      }
      expect(checkName(character).ok, `U+${code.toString(16)} alone`).toBe(false)
    }
  })

  test('and no other character', () => {
    const forbidden = new Set(FORBIDDEN)
    for (let code = 0; code <= 0x10ffff; code += 1) {
      if (forbidden.has(code)) continue
      const answer = nameOf(`a${String.fromCodePoint(code)}b`)
      if (answer === 'forbidden_character') expect.fail(`U+${code.toString(16)} is refused`)
    }
  })

  test('no message repeats the name', () => {
    for (const raw of ['hunter2\u202e', `hunter2${'a'.repeat(120)}`]) {
      expect(JSON.stringify(checkName(raw))).not.toContain('hunter2')
    }
  })
})
