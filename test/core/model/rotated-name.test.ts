import { describe, expect, test } from 'vitest'
import { rotatedName } from '../../../src/model/name.ts'

const SUFFIX = ' (rotated)'

describe('the name of a replacement', () => {
  const family = '👩‍👩‍👧‍👦'
  test.each([
    ['a short one', 'CRM', 'CRM (rotated)'],
    ['110 characters fit', 'a'.repeat(110), `${'a'.repeat(110)}${SUFFIX}`],
    ['120 are cut', 'a'.repeat(120), `${'a'.repeat(110)}${SUFFIX}`],
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
})
