import { beforeEach, describe, expect, test } from 'vitest'
import { parseHeader } from '../../src/authenticate/credential.ts'
import { mintSecret } from '../../src/secret/mint.ts'
import { issueKey, testKeys } from '../support/http/keys.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const backend = testKeys()
const { keys } = backend

beforeEach(() => {
  backend.lookups = 0
})

describe('keys that are not quite right', () => {
  test('every other character in every place is malformed, and nothing is looked up', async () => {
    const { secret } = await issueKey(backend)
    const reasons = new Map<string, number>()
    for (const wrong of neighboursOf(secret)) {
      const auth = await keys.authenticate(`Bearer ${wrong}`, null)
      const reason = auth.ok ? 'accepted' : auth.reason
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
    }
    expect([...reasons]).toEqual([['malformed', 53 * 61 + 2 * 62]])
    expect(backend.lookups).toBe(0)
  })

  test('a good key of another brand is malformed, and nothing is looked up', async () => {
    for (const brand of ['svd', 'sv', 'abcd']) {
      const auth = await keys.authenticate(`Bearer ${mintSecret(brand, 'live')}`, null)
      expect(auth).toEqual({ ok: false, reason: 'malformed' })
    }
    expect(backend.lookups).toBe(0)
  })
})

describe('headers that are too long', () => {
  test.each([
    { title: '8 KB', value: `Bearer ${'a'.repeat(8_000)}` },
    { title: '16 KB of spaces', value: ' '.repeat(16_000) },
    { title: '1 MB', value: `Bearer ${'a'.repeat(1_000_000)}` },
    { title: 'a thousand schemes', value: 'Bearer '.repeat(1_000) },
    { title: 'a list of empty elements', value: `x${', '.repeat(256)}` },
  ])('$title is refused unread', ({ value }) => {
    const read = parseHeader(value, () => expect.fail('it was read'))
    expect(read).toEqual({ secret: null, reason: 'invalid_request' })
  })
})

/** Every text that differs from this one in one place by one character of base62. */
function neighboursOf(secret: string): string[] {
  return [...secret].flatMap((char, at) =>
    [...BASE62]
      .filter((other) => other !== char)
      .map((other) => secret.slice(0, at) + other + secret.slice(at + 1)),
  )
}
