import { describe, expect, test } from 'vitest'
import { parseBearer } from '../../src/authenticate/bearer.ts'
import { secretFormat } from '../../src/secret/format.ts'
import { mintSecret } from '../../src/secret/mint.ts'

const FORMAT = secretFormat('svc')
const K = mintSecret('svc', 'live')
const K2 = mintSecret('svc', 'live')

const read = (header: unknown) => {
  const result = parseBearer(header, FORMAT)
  return result.ok ? result.secret : result.reason
}

describe('one secret is taken', () => {
  test.each([
    ['as usual', `Bearer ${K}`],
    ['lower case', `bearer ${K}`],
    ['upper case', `BEARER ${K}`],
    ['mixed case', `bEaReR ${K}`],
    ['two spaces', `Bearer  ${K}`],
    ['eight spaces', `Bearer ${' '.repeat(7)}${K}`],
    ['space around the value', ` Bearer ${K} `],
    ['much space around the value', `${' '.repeat(200)}Bearer ${K}${' '.repeat(200)}`],
    ['exactly 512 characters', `Bearer ${K}`.padEnd(512)],
  ])('%s', (_, header) => {
    expect(read(header)).toBe(K)
  })
})

describe('missing', () => {
  test.each([
    ['undefined', undefined],
    ['null', null],
    ['nothing', ''],
    ['spaces', '   '],
    ['another scheme', 'Basic dXNlcjpwYXNz'],
    ['a scheme that begins alike', `Bear ${K}`],
    ['a scheme that goes on', `Bearers ${K}`],
    ['no space', `Bearer${K}`],
    ['a colon', `Bearer:${K}`],
    ['a comma after the scheme', `Bearer,${K}`],
    ['the secret alone', K],
    ['Digest', 'Digest username="Mufasa"'],
    ['Token', `Token ${K}`],
    ['letters that fold only in Unicode', `ＢＥＡＲＥＲ ${K}`],
    ['dotless i and long s', `Beareſ ${K}`],
  ])('%s', (_, header) => {
    expect(read(header)).toBe('missing')
  })
})

describe('invalid request', () => {
  test.each([
    ['no token', 'Bearer'],
    ['no token after a space', 'Bearer '],
    ['no token after many spaces', `Bearer${' '.repeat(20)}`],
    ['nine spaces', `Bearer${' '.repeat(9)}${K}`],
    ['a hundred spaces', `Bearer${' '.repeat(100)}${K}`],
    ['a TAB', `Bearer\t${K}`],
    ['a space and a TAB', `Bearer \t${K}`],
    ['a no-break space', `Bearer\u00a0${K}`],
    ['NUL after the scheme', `Bearer\0${K}`],
    ['DEL after the scheme', `Bearer\x7f${K}`],
    ['something after the secret', `Bearer ${K} extra`],
    ['a comma after the secret', `Bearer ${K},`],
    ['two credentials', `Bearer ${K}, Bearer ${K2}`],
    ['two secrets', `Bearer ${K} ${K2}`],
    ['a comma without a space', `Bearer ${K},${K2}`],
    ['a line break', `Bearer ${K}\r\nX-Evil: 1`],
    ['NUL in the token', `Bearer ${K.slice(0, 20)}\0${K.slice(21)}`],
    ['DEL in the token', `Bearer ${K.slice(0, 20)}\x7f${K.slice(21)}`],
    ['a bidi override', `Bearer ${K}\u202e`],
    ['a zero width space', `Bearer ${K.slice(0, 30)}\u200b${K.slice(31)}`],
    ['a byte order mark', `Bearer \ufeff${K.slice(1)}`],
    ['a Cyrillic letter', `Bearer ${K.slice(0, 30)}а${K.slice(31)}`],
    ['full-width digits', `Bearer ${K.slice(0, 54)}１`],
    ['a C1 control', `Bearer ${K.slice(0, 54)}\x80`],
    ['513 characters', `Bearer ${K}`.padEnd(513)],
    ['a long value of another scheme', `Basic ${'a'.repeat(507)}`],
    ['a megabyte', `Bearer ${'a'.repeat(1_000_000)}`],
    ['Bearer again and again', 'Bearer '.repeat(1_000)],
    ['a list of one', [`Bearer ${K}`]],
    ['a list of two', [`Bearer ${K}`, `Bearer ${K2}`]],
    ['a String object', new String(`Bearer ${K}`)],
    ['a number', 42],
    ['an object', { toString: () => `Bearer ${K}` }],
    ['a symbol', Symbol('Bearer')],
    ['true', true],
  ])('%s', (_, header) => {
    expect(read(header)).toBe('invalid_request')
  })
})

describe('malformed', () => {
  test.each([
    ['quotes', `Bearer "${K}"`],
    ['a name', `Bearer token=${K}`],
    ['one character', 'Bearer x'],
    ['a secret cut short', `Bearer ${K.slice(0, -1)}`],
    ['a secret made longer', `Bearer ${K}x`],
    ['upper case', `Bearer ${K.toUpperCase()}`],
    ['lower case', `Bearer ${K.toLowerCase()}`],
    ['a wrong checksum', `Bearer ${K.slice(0, -1)}${K.endsWith('0') ? '1' : '0'}`],
    ['another brand', `Bearer ${mintSecret('abc', 'live')}`],
    ['another environment', `Bearer ${K.replace('live', 'prod')}`],
    ['another provider', 'Bearer sk_live_4eC39HqLyjWDarjtT1zdp7dc'],
    ['a punctuation mark inside', `Bearer ${K.slice(0, 30)}.${K.slice(31)}`],
    ['505 letters', `Bearer ${'a'.repeat(505)}`],
  ])('%s', (_, header) => {
    expect(read(header)).toBe('malformed')
  })

  test('two neighbours swapped, wherever they differ', () => {
    for (let at = 9; at < 54; at += 1) {
      const [a, b] = [K.charAt(at), K.charAt(at + 1)]
      if (a !== b)
        expect(read(`Bearer ${K.slice(0, at)}${b}${a}${K.slice(at + 2)}`)).toBe('malformed')
    }
  })
})

test('every length up to 4,096 is answered without a throw', () => {
  for (let length = 1; length <= 4_096; length += 1) {
    const expected = length + 7 <= 512 ? 'malformed' : 'invalid_request'
    const answer = read(`Bearer ${'a'.repeat(length)}`)
    if (answer !== expected) expect.fail(`${length} characters gave ${answer}`)
  }
})
