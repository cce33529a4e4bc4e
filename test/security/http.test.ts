import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { guardHosts } from '../support/http/guard-hosts.ts'
import { hostForAll } from '../support/http/host-for.ts'
import { issueKey, testKeys } from '../support/http/keys.ts'
import { exchange } from '../support/http/raw-client.ts'
import { get, requestText } from '../support/http/requests.ts'

/** What a client behind no proxy may claim. */
const CLAIMS = [
  'X-Forwarded-For: 127.0.0.1',
  'X-Forwarded-Host: localhost',
  'X-Forwarded-Proto: https',
  'X-Forwarded-User: admin',
  'Forwarded: for=127.0.0.1;host=localhost;proto=https',
  'X-Real-IP: 127.0.0.1',
  'X-Original-URL: /open',
  'X-Rewrite-URL: /open',
  'X-HTTP-Method-Override: OPTIONS',
  'X-Method-Override: OPTIONS',
  'Proxy-Authorization: Bearer K',
  'X-Authorization: Bearer K',
  'Cookie: authorization=Bearer K; Authorization=K',
] as const

describe.each(guardHosts)('requireKey in $name', ({ start }) => {
  const backend = testKeys()
  const host = hostForAll(() => start(backend.keys))
  let secret: string

  beforeAll(async () => {
    secret = (await issueKey(backend, 'messages.send')).secret
  })
  beforeEach(() => {
    backend.lookups = 0
  })

  const claims = () => CLAIMS.map((line) => line.replace(/K(?=;|$)/g, secret))

  test('headers of proxies and overrides open nothing', async () => {
    const withoutKey = await get(host.port, '/any', claims())
    expect(withoutKey.status).toBe(401)
    expect(backend.lookups).toBe(0)
    const authorization = `Authorization: Bearer ${secret}`
    const withoutScope = await get(host.port, '/contacts', [...claims(), authorization])
    expect(withoutScope.status).toBe(403)
    expect((await get(host.port, '/any', [...claims(), authorization])).status).toBe(200)
  })

  test.each([
    '/any?access_token=K',
    '/any?api_key=K&key=K&token=K',
    '/any?authorization=Bearer%20K',
  ])('a key in the URL opens nothing: %s', async (target) => {
    expect((await get(host.port, target.replaceAll('K', secret))).status).toBe(401)
    expect(backend.lookups).toBe(0)
  })

  test('a key in a form body opens nothing', async () => {
    const form = `access_token=${secret}`
    const lines = [
      'Content-Type: application/x-www-form-urlencoded',
      `Content-Length: ${form.length}`,
    ]
    const response = await exchange(host.port, requestText('/any', lines, 'POST') + form)
    expect(response.status).toBe(401)
    expect(backend.lookups).toBe(0)
  })
})
