import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { guardHosts } from '../../support/http/guard-hosts.ts'
import { hostForAll } from '../../support/http/host-for.ts'
import { issueKey, testKeys } from '../../support/http/keys.ts'
import { exchange, headerOf } from '../../support/http/raw-client.ts'
import { get, requestText } from '../../support/http/requests.ts'
import { FORMAT, importInput, OLD_SECRET } from '../../support/lifecycle/import.ts'
import { ACTOR } from '../../support/world.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')

/** What a route that takes keys from every place answers; `K` is a key, `B(…)` base64 of a text with it. */
const CASES: readonly [title: string, lines: readonly string[], status: number][] = [
  ['Bearer', ['Authorization: Bearer K'], 200],
  ['X-API-Key', ['X-API-Key: K'], 200],
  ['X-API-Key in lower case, with spaces around the key', ['x-api-key:   K  '], 200],
  ['Basic with an empty password', ['Authorization: Basic B(K:)'], 200],
  ['no credential', [], 401],
  ['Bearer and X-API-Key', ['Authorization: Bearer K', 'X-API-Key: K'], 400],
  ['Basic and X-API-Key', ['Authorization: Basic B(K:)', 'X-API-Key: K'], 400],
  [
    'two schemes that a proxy has joined, and X-API-Key',
    ['Authorization: Digest x, Bearer K', 'X-API-Key: K'],
    400,
  ],
  ['X-API-Key twice', ['X-API-Key: K', 'x-api-key: K'], 400],
  ['X-API-Key twice, joined by a proxy', ['X-API-Key: K, K'], 400],
  ['Basic twice', ['Authorization: Basic B(K:)', 'Authorization: Basic B(K:)'], 400],
  ['X-API-Key with a scheme', ['X-API-Key: Bearer K'], 400],
  ['X-API-Key of 8 KB', [`X-API-Key: ${'a'.repeat(8_000)}`], 400],
  ['Basic with a user name of two words', ['Authorization: Basic B(K K:)'], 400],
  ['Basic with base64 of a wrong length', ['Authorization: Basic abcde'], 400],
  ['the key in the query', [], 401],
]

describe.each(guardHosts)('the places of a key in $name', ({ start }) => {
  const backend = testKeys({ formats: [FORMAT] })
  const host = hostForAll(() => start(backend.keys))
  let secret: string

  beforeAll(async () => {
    secret = (await issueKey(backend)).secret
  })
  beforeEach(() => {
    backend.lookups = 0
  })

  const withKey = (lines: readonly string[]) =>
    lines.map((line) =>
      line
        .replace(/B\((.*)\)/, (_all, text: string) => base64(text.replaceAll('K', secret)))
        .replace(/\bK\b/g, secret),
    )

  test.each(CASES)('%s', async (_title, lines, status) => {
    const response = await get(host.port, `/placed?api_key=${secret}`, withKey(lines))
    expect(response.status).toBe(status)
    expect(headerOf(response, 'vary')).toEqual(['Authorization, X-API-Key'])
    expect(backend.lookups).toBe(status === 200 ? 1 : 0)
    expect(headerOf(response, 'www-authenticate')).toHaveLength(status === 200 ? 0 : 1)
    expect(response.body).not.toContain(secret)
  })

  test('a refusal has a challenge for each place', async () => {
    const response = await get(host.port, '/placed')
    expect(headerOf(response, 'www-authenticate')).toEqual([
      'Bearer realm="api", ApiKey realm="api", Basic realm="api", charset="UTF-8"',
    ])
  })

  test('a preflight is answered whatever the place; one with a key is checked', async () => {
    const preflight = ['Access-Control-Request-Method: GET']
    const answer = (lines: readonly string[]) =>
      exchange(host.port, requestText('/placed', [...preflight, ...lines], 'OPTIONS'))
    expect((await answer([])).status).toBe(204)
    expect((await answer(['X-API-Key: nonsense'])).status).toBe(401)
  })

  test('a route that takes Bearer alone does not read X-API-Key', async () => {
    const both = [`Authorization: Bearer ${secret}`, 'X-API-Key: other']
    expect((await get(host.port, '/any', both)).status).toBe(200)
    expect((await get(host.port, '/any', [`X-API-Key: ${secret}`])).status).toBe(401)
  })

  test('a key that another system issued, in every place', async () => {
    await backend.keys.importKeys([importInput()], { actor: ACTOR })
    for (const line of [
      `Authorization: Bearer ${OLD_SECRET}`,
      `X-API-Key: ${OLD_SECRET}`,
      `Authorization: Basic ${base64(`${OLD_SECRET}:`)}`,
    ]) {
      expect((await get(host.port, '/placed', [line])).status).toBe(200)
    }
    expect((await get(host.port, '/placed', ['X-API-Key: old_stranger'])).status).toBe(401)
  })

  test('onDenied replaces body and headers, and Vary stays', async () => {
    const response = await get(host.port, '/denied')
    expect([response.status, response.body]).toEqual([401, 'refused: missing'])
    expect(headerOf(response, 'x-reason')).toEqual(['missing'])
    expect(headerOf(response, 'vary')).toEqual(['Authorization'])
    const accepted = await get(host.port, '/denied', [`Authorization: Bearer ${secret}`])
    expect(accepted.status).toBe(200)
  })

  test('requireScope behind requireKey: one lookup, one use', async () => {
    const { key } = await issueKey(backend)
    const other = await issueKey(backend, 'messages.send')
    const reader = await issueKey(backend)
    const bearer = (token: string) => [`Authorization: Bearer ${token}`]
    backend.lookups = 0
    const accepted = await get(host.port, '/scoped', bearer(reader.secret))
    expect(accepted.status).toBe(200)
    expect(JSON.parse(accepted.body)).toMatchObject({ keyId: reader.key.id, frozen: true })
    expect(backend.lookups).toBe(1)
    await backend.keys.flush()
    const { uses } = await backend.keys.getKey({ workspaceId: key.workspaceId, id: reader.key.id })
    expect(uses).toBe(1)
    const refused = await get(host.port, '/scoped', bearer(other.secret))
    expect(refused.status).toBe(403)
    expect(JSON.parse(refused.body)).toMatchObject({
      code: 'insufficient_scope',
      requirement: { allOf: ['contacts.read'] },
    })
    expect(headerOf(refused, 'www-authenticate')).toEqual([
      'Bearer realm="api", error="insufficient_scope", scope="contacts.read"',
    ])
    expect((await get(host.port, '/scoped')).status).toBe(401)
  })

  test('requireScope without a requireKey lets nothing through', async () => {
    const response = await get(host.port, '/open', [`Authorization: Bearer ${secret}`])
    expect(response.status).toBe(500)
  })
})
