import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseBearer } from '../../src/authenticate/bearer.ts'
import { secretFormat } from '../../src/secret/format.ts'
import { mintSecret } from '../../src/secret/mint.ts'
import { runs } from '../support/runs.ts'

/*
 * The header parser against a reference that shares no line with it: the grammar as patterns, slow
 * and plain. An input on which the two disagree is a bug in one of them.
 */

const FORMAT = secretFormat('svc')
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

function reference(header: unknown): string {
  if (header === undefined || header === null) return 'missing'
  if (typeof header !== 'string') return 'invalid_request'
  if (header.length > 512) return 'invalid_request'
  const value = header.replace(/^ +/, '').replace(/ +$/, '')
  if (!/^bearer(?![!-~])/i.test(value)) return 'missing'
  const token = /^[Bb][Ee][Aa][Rr][Ee][Rr] {1,8}([\x21-\x2b\x2d-\x7e]+)$/.exec(value)?.[1]
  if (token === undefined) return 'invalid_request'
  return isSecret(token) ? token : 'malformed'
}

function isSecret(token: string): boolean {
  const parts = /^(svc_(?:live|test)_[0-9A-Za-z]{40})([0-9A-Za-z]{6})$/.exec(token)
  const [, body = '', checksum = ''] = parts ?? []
  const value = [...checksum].reduce((sum, digit) => sum * 62n + BigInt(DIGITS.indexOf(digit)), 0n)
  return parts !== null && value === BigInt(crc32(body))
}

function actual(header: unknown): string {
  const result = parseBearer(header, FORMAT)
  return result.ok ? result.secret : result.reason
}

const SECRETS = Array.from({ length: 64 }, (_, at) => mintSecret('svc', at % 2 ? 'live' : 'test'))

const spaces = fc.nat(10).map((count) => ' '.repeat(count))
const stranger = fc.oneof(
  fc.constantFrom(
    ' ',
    '\t',
    ',',
    '\0',
    '\x7f',
    '\x80',
    '\u00a0',
    '\u202e',
    'ſ',
    'K',
    '"',
    '=',
    '_',
  ),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 2 }),
)
const scheme = fc.oneof(
  { weight: 6, arbitrary: fc.mixedCase(fc.constant('bearer')) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('Bear', 'Bearers', 'Basic', '', 'Bearer:', 'Beare\u200br'),
  },
)
const secret = fc.constantFrom(...SECRETS)
const token = fc.oneof(
  { weight: 4, arbitrary: secret },
  { weight: 1, arbitrary: fc.string({ maxLength: 60 }) },
  { weight: 1, arbitrary: secret.map((text) => text.slice(0, -1)) },
  { weight: 1, arbitrary: fc.tuple(secret, secret).map(([a, b]) => `${a}, Bearer ${b}`) },
)
const nearly = fc.tuple(spaces, scheme, spaces, token, spaces).map((parts) => parts.join(''))

type Edit = readonly ['insert' | 'delete' | 'replace', number, string]
const edit: fc.Arbitrary<Edit> = fc.tuple(
  fc.constantFrom('insert', 'delete', 'replace'),
  fc.nat(90),
  stranger,
)

/** Most inputs are one or two slips away from a good header: that is where parsers go wrong. */
const header = fc
  .tuple(nearly, fc.array(edit, { maxLength: 2 }))
  .map(([text, edits]) => edits.reduce(apply, text))

function apply(text: string, [kind, place, letters]: Edit): string {
  const at = place % (text.length + 1)
  if (kind === 'insert') return text.slice(0, at) + letters + text.slice(at)
  return text.slice(0, at) + (kind === 'replace' ? letters : '') + text.slice(at + 1)
}

const RUNS = runs(200_000)

test(`the parser and the reference agree on ${RUNS} near-misses`, { timeout: RUNS }, () => {
  const seen = new Map<string, number>()
  fc.assert(
    fc.property(header, (value) => {
      const answer = actual(value)
      if (answer !== reference(value)) {
        throw new Error(`parser: ${answer}, reference: ${reference(value)}`)
      }
      const kind = answer.startsWith('svc_') ? 'secret' : answer
      seen.set(kind, (seen.get(kind) ?? 0) + 1)
    }),
    { numRuns: RUNS },
  )
  // A generator that only ever hits one answer proves nothing.
  for (const kind of ['missing', 'invalid_request', 'malformed', 'secret']) {
    expect(seen.get(kind) ?? 0, kind).toBeGreaterThan(RUNS / 50)
  }
})

test('they agree on anything at all', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      expect(actual(value)).toBe(reference(value))
    }),
    { numRuns: runs(5_000) },
  )
})

test('they agree around the longest header', () => {
  for (let length = 500; length <= 520; length += 1) {
    for (const value of [`Bearer ${SECRETS[0]}`.padEnd(length), 'Basic '.padEnd(length, 'x')]) {
      expect(actual(value)).toBe(reference(value))
    }
  }
})
