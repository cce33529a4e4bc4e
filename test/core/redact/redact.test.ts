import { PassThrough } from 'node:stream'
import fastify from 'fastify'
import { describe, expect, test } from 'vitest'
import { createRedactor, looksLikeSecret, secretPattern } from '../../../src/redact/index.ts'
import { mintSecret } from '../../../src/secret/mint.ts'

const secret = mintSecret('svc', 'live')
const shown = `${secret.slice(0, 12)}…`
const redact = createRedactor()

describe('secrets in another spelling', () => {
  const spelt = (underscore: string, text: string) => text.replaceAll('_', underscore)

  test.each([
    '%5F',
    '%5f',
    '%255F',
    '%25255f',
    '\\u005f',
    '\\u005F',
    '\\\\u005f',
    '\\_',
    '\\\\_',
    '\\x5f',
    '\\\\x5F',
    '=5F',
    '=5f',
    '&#95;',
    '&#x5F;',
    '&#095;',
    '&#x005F;',
    '&#X5f;',
    '&lowbar;',
    '&UnderBar;',
  ])('an underscore as %s', (underscore) => {
    expect(redact(`a${spelt(underscore, secret)}.`)).toBe(`a${spelt(underscore, shown)}.`)
  })

  test('what follows a secret on the next line stays', () => {
    for (const cut of [secret, secret.slice(0, 50), secret.slice(0, 20)]) {
      const masked = redact(cut)
      expect(redact(`${cut}\nnext line`)).toBe(`${masked}\nnext line`)
      expect(redact(JSON.stringify(`${cut}\nnext`))).toBe(JSON.stringify(`${masked}\nnext`))
    }
  })
})

test('a brand of the host', () => {
  const own = mintSecret('acme', 'test')
  expect(createRedactor('acme')(`key ${own}.`)).toBe(`key ${own.slice(0, 12)}….`)
  expect(redact(own)).toBe(own)
  expect(own.match(secretPattern('acme'))).toEqual([own])
})

test('no one else can spoil the pattern', () => {
  const first = secretPattern()
  first.test(secret)
  expect(first.lastIndex).toBeGreaterThan(0)
  expect(secretPattern().lastIndex).toBe(0)
  expect(secretPattern().flags).toBe('g')
})

test('a value that is no text looks like no secret', () => {
  for (const value of [null, undefined, 7, [secret], { length: 55 }]) {
    expect(looksLikeSecret(value as string)).toBe(false)
  }
  expect(looksLikeSecret(` ${secret}`)).toBe(false)
  expect(looksLikeSecret(secret)).toBe(true)
})

describe('hostile texts take linear time', () => {
  const hostile: readonly (readonly [string, string])[] = [
    ['beginnings', 'svc_live_'],
    ['beginnings that end one short', `svc_live_${'a'.repeat(21)}_`],
    ['digits', 'a'],
    ['underscores', '_'],
    ['brands', 'svc'],
    ['prefixes', 'svc_live_aBc'],
    ['whole secrets', secret],
    ['escaped underscores', 'svc\\\\u005flive'],
  ]
  test.each(hostile)('%s', (_name, unit) => {
    // Quadratic work over 8 MB would take hours, and a test has two minutes.
    const text = unit.repeat(Math.ceil(8e6 / unit.length))
    redact(text)
    text.match(secretPattern())
  })
})

test('pino writes no secret, whatever is logged', async () => {
  const stream = new PassThrough()
  const app = fastify({ logger: { stream, hooks: { streamWrite: redact } } })
  const log = app.log.child({ session: secret })
  log.info({ url: `/v1?key=${secret}`, [secret]: 1 }, `called with ${secret}`)
  log.error(new Error(`refused ${secret}`))
  const lines = String(stream.read()).trim().split('\n')
  expect(lines).toHaveLength(2)
  for (const line of lines) {
    expect(JSON.parse(line).session).toBe(shown)
    expect(line).not.toContain(secret.slice(12))
  }
})
