import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { guardHosts } from '../support/http/guard-hosts.ts'
import { hostForAll } from '../support/http/host-for.ts'
import { testKeys } from '../support/http/keys.ts'
import { headerOf, type RawResponse } from '../support/http/raw-client.ts'
import { get } from '../support/http/requests.ts'
import { type Credentials, fill, issueCredentials, lookupsOf, STATUS, vectors } from './vectors.ts'

/** Hosts whose `Headers` join repeated lines (Fetch §2.2.2). */
const JOINING: ReadonlySet<string> = new Set(['fetch', 'hono'])

describe.each(guardHosts)('requireKey in $name', ({ name, start }) => {
  const backend = testKeys()
  const host = hostForAll(() => start(backend.keys))
  let credentials: Credentials

  beforeAll(async () => {
    credentials = await issueCredentials(backend)
  })
  beforeEach(() => {
    backend.lookups = 0
  })

  test.each(vectors)('$id: $description', async (vector) => {
    const lines = fill(vector, credentials).map((line) => `Authorization: ${line}`)
    const response = await get(host.port, '/contacts', lines)
    const expected = (JOINING.has(name) ? vector.expectJoined : undefined) ?? vector.expect
    expect(response.status).toBe(STATUS[expected])
    expect(backend.lookups).toBe(lookupsOf(vector, expected))
    expect(response.body).not.toContain(credentials.key)
    if (vector.serverMayRefuse) return
    expect(headerOf(response, 'vary')).toEqual(['Authorization'])
    if (expected !== 'accepted') expectRefusal(response, expected)
  })
})

/** Checks all that a refusal of a guard must carry: problem body, challenge, no caching. */
function expectRefusal(response: RawResponse, code: string): void {
  expect(headerOf(response, 'content-type')).toEqual(['application/problem+json'])
  expect(headerOf(response, 'cache-control')).toEqual(['no-store'])
  const body = JSON.parse(response.body)
  expect(body).toMatchObject({ status: response.status, code })
  expect(body.type).toMatch(/^urn:miftah:problem:/)
  const error = code === 'missing' ? '' : `, error="${code}"`
  expect(headerOf(response, 'www-authenticate')).toEqual([`Bearer realm="api"${error}`])
}
