import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectRefusal, STATUS } from '../http/support/expect-refusal.ts'
import { guardHosts, type RunningHost } from '../http/support/guard-hosts.ts'
import { testKeys } from '../http/support/keys.ts'
import { headerOf } from '../http/support/raw-client.ts'
import { get } from '../http/support/requests.ts'
import {
  type Credentials,
  fill,
  issueCredentials,
  joinedValue,
  vectors,
  vectorText,
} from './vectors.ts'

/** Of a key's life only these two are looked up; of everything else the storage hears nothing. */
const LOOKED_UP = /\{(unknown|revoked)\}/

describe('the vector file', () => {
  test('is ASCII, and every character of a line stands for one byte', () => {
    expect(vectorText).toMatch(/^[\n\x20-\x7e]*$/)
    for (const { id, lines } of vectors) {
      expect(
        lines.every((line) => /^[\0-\xff]*$/.test(line)),
        id,
      ).toBe(true)
    }
  })

  test('names no case twice and describes none as another', () => {
    expect(new Set(vectors.map(({ id }) => id)).size).toBe(vectors.length)
    expect(new Set(vectors.map(({ description }) => description)).size).toBe(vectors.length)
    expect(new Set(vectors.map(({ lines }) => JSON.stringify(lines))).size).toBe(vectors.length)
  })

  test('has cases of every outcome and a clause for each', () => {
    for (const outcome of Object.keys(STATUS)) {
      expect(vectors.filter((vector) => vector.expect === outcome).length).toBeGreaterThan(5)
    }
    for (const { basis } of vectors) expect(basis).toMatch(/^RFC \d{4} §\d+(\.\d+)*/)
  })
})

describe('authenticate', () => {
  const backend = testKeys()
  let credentials: Credentials

  beforeAll(async () => {
    credentials = await issueCredentials(backend)
  })
  beforeEach(() => {
    backend.lookups = 0
  })

  test.each(vectors)('$id: $description', async (vector) => {
    const value = joinedValue(fill(vector, credentials))
    const result = await backend.keys.authenticate(value, 'contacts.read')
    const expected = vector.expectJoined ?? vector.expect
    expect(outcomeOf(result)).toBe(expected)
    if (result.ok) expect(credentials.key.startsWith(result.key.prefix)).toBe(true)
    expect(backend.lookups).toBe(lookupsOf(vector.lines, expected))
  })
})

/** Hosts whose `Headers` join repeated lines (Fetch §2.2.2). */
const JOINING: ReadonlySet<string> = new Set(['fetch', 'hono'])

describe.each(guardHosts)('requireKey in $name', ({ name, start }) => {
  const backend = testKeys()
  let host: RunningHost
  let credentials: Credentials

  beforeAll(async () => {
    host = await start(backend.keys)
    credentials = await issueCredentials(backend)
  })
  afterAll(() => host.close())
  beforeEach(() => {
    backend.lookups = 0
  })

  test.each(vectors)('$id: $description', async (vector) => {
    const lines = fill(vector, credentials).map((line) => `Authorization: ${line}`)
    const response = await get(host.port, '/contacts', lines)
    const expected = (JOINING.has(name) ? vector.expectJoined : undefined) ?? vector.expect
    expect(response.status).toBe(STATUS[expected])
    expect(backend.lookups).toBe(lookupsOf(vector.lines, expected))
    expect(response.body).not.toContain(credentials.key)
    if (vector.serverMayRefuse) return
    expect(headerOf(response, 'vary')).toEqual(['Authorization'])
    if (expected !== 'accepted') expectRefusal(response, expected)
  })
})

function outcomeOf(
  result: { readonly ok: true } | { readonly ok: false; readonly reason: string },
) {
  if (result.ok) return 'accepted'
  const { reason } = result
  return ['malformed', 'unknown', 'revoked'].includes(reason) ? 'invalid_token' : reason
}

function lookupsOf(lines: readonly string[], outcome: string): number {
  if (outcome === 'accepted') return 1
  return outcome === 'invalid_token' && lines.some((line) => LOOKED_UP.test(line)) ? 1 : 0
}
