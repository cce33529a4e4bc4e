import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type Credentials,
  fill,
  issueCredentials,
  joinedValue,
  lookupsOf,
  STATUS,
  vectors,
  vectorText,
} from '../../security/vectors.ts'
import { testKeys } from '../../support/http/keys.ts'

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
    expect(backend.lookups).toBe(lookupsOf(vector, expected))
  })
})

function outcomeOf(
  result: { readonly ok: true } | { readonly ok: false; readonly reason: string },
) {
  if (result.ok) return 'accepted'
  const { reason } = result
  return ['malformed', 'unknown', 'revoked'].includes(reason) ? 'invalid_token' : reason
}
