import { describe, expect, test } from 'vitest'
import {
  createManagementClient,
  type ManagementClient,
  ManagementError,
} from '../../adapters/client/index.ts'
import { manageKeys } from '../../adapters/http/fetch.ts'
import { problemCodes } from '../../src/model/error-codes.ts'
import { testKeys, USER } from '../support/http/keys.ts'
import { simulateTime } from '../support/simulated-time.ts'
import { clientWith, errorOf, SECRET } from './clients.ts'

simulateTime()

const BODY = { name: 'n', environment: 'live', scopes: ['contacts.read'] } as const
const RANGE = { from: '2026-06-15T00:00:00Z', to: '2026-06-16T00:00:00Z' }

test('every method understands what the routes answer', async () => {
  const { keys } = testKeys()
  const routes = manageKeys(keys, { context: () => ({ workspaceId: 'ws_1', user: USER }) })
  const client = createManagementClient({
    baseUrl: 'https://app.example',
    fetch: (input, init) => routes(new Request(input, init)),
  })
  const { key, secret } = await client.createKey(BODY)
  const { id } = key
  await keys.authenticateSecret(secret, null)
  await keys.flush()
  expect((await client.listKeys()).keys).toMatchObject([{ id, uses: 1 }])
  expect((await client.listScopes()).groups.length).toBeGreaterThan(1)
  expect((await client.getKeyUsage(id, RANGE)).buckets).toHaveLength(24)
  expect((await client.getUsage(RANGE)).buckets).toHaveLength(24)
  expect(await client.updateKey(id, 1, { name: 'm' })).toMatchObject({ name: 'm', version: 2 })
  const stale = await errorOf(client.updateKey(id, 1, { name: 'o' }))
  expect(stale).toMatchObject({ code: 'stale', key: { name: 'm' } })
  expect((await client.pauseKey(id)).status).toBe('paused')
  expect((await client.resumeKey(id)).status).toBe('active')
  const heir = await client.rotateKey(id)
  expect(heir.replaced).toMatchObject({ id, replacedBy: heir.key.id })
  expect((await client.revokeKey(heir.key.id, { reason: 'leaked' })).status).toBe('revoked')
  expect((await client.getKey(id)).status).toBe('revoked')
  expect((await client.getKeyEvents(id)).events.length).toBeGreaterThan(3)
  expect(await client.revokeKeys({ creatorId: USER.id })).toMatchObject({ revoked: 0 })
  const invalid = await errorOf(client.createKey({ ...BODY, name: '' }))
  expect(invalid).toMatchObject({ code: 'invalid_input', issues: [{ path: ['name'] }] })
})

/** What a read and a change fail with. */
async function failuresOf(answer: () => Response | Promise<Response>) {
  const { client } = clientWith(answer)
  return [await errorOf(client.listKeys()), await errorOf(client.rotateKey('key_1'))] as const
}

describe('what a refusal becomes', () => {
  test('an error that a program makes itself says no more than it was given', () => {
    const error = new ManagementError('network')
    expect(error).toMatchObject({ code: 'network', issues: [], status: undefined })
    expect(error.cause).toBeUndefined()
  })

  test.each(Object.keys(problemCodes))('the code %s of the routes is its code', async (code) => {
    for (const error of await failuresOf(() => Response.json({ code }, { status: 503 }))) {
      expect(error).toMatchObject({ name: 'ManagementError', code, status: 503, issues: [] })
      expect(error.message).toBe(`The management call failed: ${code}`)
    }
  })

  test.each([
    [400, 'unexpected', 'unexpected'],
    [401, 'unauthenticated', 'unauthenticated'],
    [403, 'forbidden', 'forbidden'],
    [404, 'not_found', 'not_found'],
    [408, 'unexpected', 'outcome_unknown'],
    [422, 'invalid_input', 'invalid_input'],
    [429, 'rate_limited', 'rate_limited'],
    [500, 'unexpected', 'outcome_unknown'],
    [520, 'unexpected', 'outcome_unknown'],
  ])('%i of anything else is %s for a read and %s for a change', async (status, read, change) => {
    const odd = [null, 7, { code: 'EBADCSRFTOKEN' }, { code: 4290, issues: 'none' }]
    for (const body of [...odd.map((value) => JSON.stringify(value)), '<h1>Bad gateway</h1>']) {
      const errors = await failuresOf(() => new Response(body, { status }))
      expect(errors.map((error) => [error.code, error.status, error.issues])).toEqual([
        [read, status, []],
        [change, status, []],
      ])
    }
  })

  test('what the routes tell goes along, and anything odd in its place does not', async () => {
    const issue = { path: ['scopes', 0], code: 'unknown_scope', message: 'is unknown' }
    const known = { key: { id: 'key_1' }, issues: [issue], missing: { scopes: ['a'] } }
    const stale = (named: object) =>
      failuresOf(() => Response.json({ code: 'stale', ...named }, { status: 412 }))
    expect((await stale(known))[0]).toMatchObject(known)
    for (const key of [null, 7, { id: null }]) {
      const issues = [null, 7, 'name', { path: 'name' }, issue]
      const [error] = await stale({ key, issues, missing: 7 })
      expect(error).toMatchObject({ issues: [issue], key: undefined, missing: undefined })
    }
  })

  test('an error carries neither what was sent nor a secret', async () => {
    const refusal = { code: 'forbidden', secret: SECRET }
    const { client } = clientWith(() => Response.json(refusal, { status: 403 }))
    const error = await errorOf(client.createKey({ ...BODY, name: 'my name' }))
    expect(`${error.stack}${JSON.stringify(error)}`).not.toMatch(/svc_live|my name/)
  })

  test.each([
    ['12', 12],
    ['0', 0],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
    [new Date(Date.UTC(2026, 5, 15, 12, 31, 30)).toUTCString(), 90],
    ['soon', undefined],
    ['', undefined],
    ['86401', 86_400],
    ['9'.repeat(400), 86_400],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 86_400],
    [undefined, undefined],
  ])('Retry-After %j is %j seconds', async (value, seconds) => {
    const headers = { ...(value !== undefined && { 'Retry-After': value }), 'X-Request-Id': 'r1' }
    const [error] = await failuresOf(() => Response.json({}, { status: 503, headers }))
    expect(error).toMatchObject({ retryAfterSeconds: seconds, requestId: 'r1' })
  })
})

describe('an answer that is not one of the routes', () => {
  type Asks = readonly ((client: ManagementClient) => Promise<unknown>)[]
  const READS: Asks = [
    (client) => client.listKeys(),
    (client) => client.listScopes(),
    (client) => client.listResources('project'),
    (client) => client.getKey('key_1'),
    (client) => client.getKeyUsage('key_1', RANGE),
    (client) => client.getUsage(RANGE),
    (client) => client.getKeyEvents('key_1'),
  ]
  const CHANGES: Asks = [
    (client) => client.createKey(BODY),
    (client) => client.updateKey('key_1', 1, {}),
    (client) => client.pauseKey('key_1'),
    (client) => client.resumeKey('key_1'),
    (client) => client.rotateKey('key_1'),
    (client) => client.revokeKey('key_1'),
    (client) => client.revokeKeys({ creatorId: 'u' }),
  ]

  test.each([
    ...['null', '7', '"x"', '[]', '{}', '{"key":null}', '{"keys":{},"groups":{}}', ''],
    '<!doctype html><title>Sign in</title>',
    '{"key":{"id":"key_2","status":"revoked"}}',
    '{"key":{"id":"key_2"},"secret":"","replaced":{"id":"key_1"}}',
    `{"key":{"id":7},"secret":"${SECRET}","replaced":{"id":"key_1"}}`,
    ...[SECRET, `{"key":{"id":"key_1"},"secret":"${SECRET}`],
  ])('%s', async (body) => {
    const { client } = clientWith(() => new Response(body))
    const cause = new TypeError('The answer is not one of the management routes')
    for (const ask of [...READS, ...CHANGES]) {
      const code = READS.includes(ask) ? 'unexpected' : 'outcome_unknown'
      const error = await errorOf(ask(client))
      expect(error).toMatchObject({ code, status: 200, cause })
      expect(`${error.message}${error.cause}`).not.toContain('svc_live')
    }
  })

  test('a key that is not in the status it was to be in may have kept its own', async () => {
    const active = { key: { id: 'key_1', status: 'active' } }
    const { client } = clientWith(() => Response.json(active))
    for (const call of [client.pauseKey('key_1'), client.revokeKey('key_1')]) {
      expect(await errorOf(call)).toMatchObject({ code: 'outcome_unknown' })
    }
    expect(await client.resumeKey('key_1')).toMatchObject({ id: 'key_1' })
  })

  test('a new key without the one that it replaces is no rotation', async () => {
    const { client } = clientWith(() => Response.json({ key: { id: 'key_2' }, secret: SECRET }))
    expect(await errorOf(client.rotateKey('key_1'))).toMatchObject({ code: 'outcome_unknown' })
    expect(await client.createKey(BODY)).toMatchObject({ secret: SECRET })
  })

  test('one odd key does not hide the list that it is in', async () => {
    const { client } = clientWith(() => Response.json({ keys: [null, { id: 'key_1' }] }))
    expect((await client.listKeys()).keys).toHaveLength(2)
  })
})

test('an answer that never came whole, with what is known of it', async () => {
  const cause = new TypeError('terminated')
  const cut = (status: number) => () => {
    const body = new ReadableStream({ start: (stream) => stream.error(cause) })
    return new Response(body, { status, headers: { 'X-Request-Id': 'r1' } })
  }
  const about = { status: 201, requestId: 'r1', cause }
  const lost = [{ code: 'network' }, { code: 'outcome_unknown' }]
  expect(await failuresOf(cut(201))).toMatchObject(lost.map((code) => ({ ...about, ...code })))
  const gone = await failuresOf(() => Promise.reject(cause))
  expect(gone).toMatchObject(lost.map((code) => ({ cause, ...code })))
  expect(await failuresOf(cut(403))).toMatchObject(Array(2).fill({ code: 'forbidden' }))
})
