import { describe, expect, test } from 'vitest'
import { parseHeader } from '../../../src/authenticate/credential.ts'
import { createGuard } from '../../../src/http/index.ts'
import { secretTest } from '../../../src/secret/format.ts'
import { mintSecret } from '../../../src/secret/mint.ts'
import { keyInput, openWorld } from '../../support/world.ts'

const CLASSIFY = secretTest('svc')
const K = mintSecret('svc', 'live')
const K2 = mintSecret('svc', 'live')

const read = (header: string | null | undefined) => {
  const parsed = parseHeader(header, CLASSIFY)
  return parsed.secret ?? parsed.reason
}

/*
 * What can stand on the wire is in docs/vectors and run by test/security. Here is what only a caller
 * in the same process can pass: text beyond Latin-1, values that nobody has trimmed, other types.
 */

test.each([
  ['space around the value', ` Bearer ${K} `],
  ['much space around the value', `${' '.repeat(200)}Bearer ${K}${' '.repeat(200)}`],
  ['exactly 512 characters', `Bearer ${K}`.padEnd(512)],
])('one secret is taken: %s', (_, header) => {
  expect(read(header)).toBe(K)
})

test.each([
  ['undefined', undefined],
  ['null', null],
  ['letters that fold only in Unicode', `ＢＥＡＲＥＲ ${K}`],
  ['a long s', `Beareſ ${K}`],
])('missing: %s', (_, header) => {
  expect(read(header)).toBe('missing')
})

describe('invalid request', () => {
  test.each([
    ['the scheme alone, with space behind it', 'Bearer  '],
    ['a TAB at the end, which HTTP would have trimmed', `Bearer ${K}\t`],
    ['a bidi override', `Bearer ${K}\u202e`],
    ['a zero width space', `Bearer ${K.slice(0, 30)}\u200b${K.slice(31)}`],
    ['a byte order mark', `Bearer \ufeff${K.slice(1)}`],
    ['a Cyrillic letter', `Bearer ${K.slice(0, 30)}а${K.slice(31)}`],
    ['full-width digits', `Bearer ${K.slice(0, 54)}１`],
    ['a letter whose low byte is one of ASCII', `Bearer ${K.slice(0, 54)}\u0141`],
    ['half of a pair', `Bearer ${K.slice(0, 54)}\ud800`],
    ['NUL in the token', `Bearer ${K.slice(0, 20)}\0${K.slice(21)}`],
    ['DEL in the token', `Bearer ${K.slice(0, 20)}\x7f${K.slice(21)}`],
    ['a line break', `Bearer ${K}\r\nX-Evil: 1`],
  ])('%s', (_, header) => {
    expect(read(header)).toBe('invalid_request')
  })

  test.each([
    ['513 characters', `Bearer ${K}`.padEnd(513)],
    ['a megabyte', `Bearer ${'a'.repeat(1_000_000)}`],
    ['a thousand schemes', 'Bearer '.repeat(1_000)],
    ['a list of empty elements', `x${', '.repeat(256)}`],
  ])('%s, unread', (_, header) => {
    const read = parseHeader(header, () => expect.fail('it was read'))
    expect(read).toEqual({ secret: null, reason: 'invalid_request' })
  })
})

describe('what is neither text nor absent', () => {
  const OTHERS: readonly (readonly [string, unknown])[] = [
    ['a list of one', [`Bearer ${K}`]],
    ['a list of two', [`Bearer ${K}`, `Bearer ${K2}`]],
    ['a headers object', { authorization: `Bearer ${K}` }],
    ['the Headers of a Request', new Headers({ authorization: `Bearer ${K}` })],
    ['a String object', new String(`Bearer ${K}`)],
    ['a number', 42],
    ['an object that becomes a text', { toString: () => `Bearer ${K}` }],
    ['a symbol', Symbol('Bearer')],
    ['true', true],
    ['false', false],
  ]

  test.each(OTHERS)('%s is a mistake of the program', async (_, other) => {
    const { keys, asked } = openWorld()
    const suffix = ', as text, null or undefined; it was given another type.'
    await expect(keys.authenticate(other as string, null)).rejects.toEqual(
      new TypeError(`authenticate takes the Authorization header${suffix}`),
    )
    await expect(keys.authenticateSecret(other as string, null)).rejects.toEqual(
      new TypeError(`authenticateSecret takes a secret${suffix}`),
    )
    expect(asked()).toEqual([])
  })

  test.each(OTHERS)('%s as a line of a request is refused by a guard', async (_, other) => {
    const { keys } = openWorld()
    // An object that stands in for the keys, as a wrapper does, is asked by its methods.
    for (const asking of [keys, { ...keys }]) {
      for (const [place, name] of [
        ['bearer', 'authorization'],
        ['x-api-key', 'x-api-key'],
      ] as const) {
        const guard = createGuard(asking, null, { accept: [place] })
        const lines = (header: string) => (header === name ? [other as string] : [])
        expect(await guard.check('GET', lines)).toMatchObject({ answer: { status: 400 } })
      }
    }
  })
})

test.each([null, undefined])('a line that is %s is absent', async (absent) => {
  const guard = createGuard(openWorld().keys, null)
  const verdict = await guard.check('GET', () => [absent as unknown as string])
  expect(verdict).toMatchObject({ answer: { status: 401 } })
})

test('a secret without Bearer is missing, and one behind it is malformed where a secret is wanted', async () => {
  const { keys } = openWorld()
  const { secret } = await keys.createKey(keyInput())
  expect(await keys.authenticate(secret, null)).toEqual({ ok: false, reason: 'missing' })
  const behind = await keys.authenticateSecret(`Bearer ${secret}`, null)
  expect(behind).toEqual({ ok: false, reason: 'malformed' })
  for (const absent of [null, undefined, '']) {
    expect(await keys.authenticate(absent, null)).toEqual({ ok: false, reason: 'missing' })
    expect(await keys.authenticateSecret(absent, null)).toEqual({ ok: false, reason: 'missing' })
  }
})
