import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parseChallenge } from '../../support/http/challenge.ts'
import type { RunningHost } from '../../support/http/guard-hosts.ts'
import { hostForEach } from '../../support/http/host-for.ts'
import { issueKey, type TestKeys, testKeys, USER } from '../../support/http/keys.ts'
import { jsonOf, NEW_KEY, only, post, send, verdictOf } from '../../support/http/management-call.ts'
import { managementHosts } from '../../support/http/management-hosts.ts'

/** Each operation on the key `id`, as a call. */
const OPERATIONS = [
  { operation: 'list', done: 200, callOn: () => ({ path: '/keys' }) },
  { operation: 'scopes', done: 200, callOn: () => ({ path: '/scopes' }) },
  { operation: 'create', done: 201, callOn: () => ({ path: '/keys', body: NEW_KEY }) },
  {
    operation: 'rotate',
    done: 201,
    callOn: (id: string) => ({ path: `/keys/${id}/rotate`, body: {} }),
  },
  {
    operation: 'revoke',
    done: 200,
    callOn: (id: string) => ({ path: `/keys/${id}/revoke`, body: {} }),
  },
] as const

/** Everything a workspace has, as bytes. */
async function everythingOf({ keys }: TestKeys, workspaceId: string): Promise<string> {
  const list = await keys.listKeys({ workspaceId, limit: 200 })
  return JSON.stringify([list, await keys.listEvents({ workspaceId, limit: 200 })])
}

describe.each(managementHosts)('who may do what with manageKeys in $name', ({ start }) => {
  const errors: unknown[] = []
  let backend: TestKeys
  let own: string
  let foreign: string
  const host = hostForEach(() => {
    errors.length = 0
    backend = testKeys()
    return start(backend.keys, { onError: (error) => errors.push(error) })
  })
  beforeEach(async () => {
    own = (await issueKey(backend)).key.id
    const omar = { id: 'u_2', name: 'Omar' }
    const other = {
      workspaceId: 'ws_2',
      creator: omar,
      name: 'Other',
      environment: 'live',
    } as const
    foreign = (await backend.keys.createKey({ ...other, scopes: ['contacts.read'] })).key.id
  })

  describe.each(OPERATIONS)('$operation', ({ operation, done, callOn }) => {
    const changes = operation !== 'list' && operation !== 'scopes'
    const onKey = operation === 'rotate' || operation === 'revoke'

    test('a member does it in their workspace, and leaves the other as it was', async () => {
      const before = await everythingOf(backend, 'ws_2')
      expect((await send(host.port, callOn(own))).status).toBe(done)
      expect(await everythingOf(backend, 'ws_2')).toBe(before)
    })

    test('a key of another workspace is not there', async () => {
      const before = await everythingOf(backend, 'ws_2')
      const response = await send(host.port, callOn(foreign))
      expect(await everythingOf(backend, 'ws_2')).toBe(before)
      expect(response.body).not.toContain(foreign)
      if (!onKey) return
      const unknown = await send(host.port, callOn('key_000000000000000000000'))
      const malformed = await send(host.port, callOn('%00'))
      expect(verdictOf(response)).toBe('404 key_not_found')
      expect([unknown.body, malformed.body]).toEqual([response.body, response.body])
    })

    test.each([
      { who: 'nobody', session: null, verdict: '401 unauthenticated' },
      { who: 'a stranger', session: 'mallory', verdict: '401 unauthenticated' },
      { who: 'a viewer', session: 'viewer', verdict: changes ? '403 forbidden' : null },
      { who: 'a context that throws', session: 'crash', verdict: '500 internal_error' },
      { who: 'a context without a user', session: 'half', verdict: '500 internal_error' },
    ])('$who: $verdict', async ({ session, verdict }) => {
      const before = await everythingOf(backend, 'ws_1')
      const response = await send(host.port, { ...callOn(own), session })
      if (verdict === null) expect(response.status).toBe(done)
      else expect(verdictOf(response)).toBe(verdict)
      expect(await everythingOf(backend, 'ws_1')).toBe(before)
      expect(response.body).not.toContain('canary')
      expect(errors.length).toBe(response.status === 500 ? 1 : 0)
    })

    test('an API key opens nothing', async () => {
      const { secret } = await issueKey(backend)
      const { headers } = changes
        ? { headers: ['Content-Type: application/json'] }
        : { headers: [] }
      const bearer = [...headers, `Authorization: Bearer ${secret}`, `X-Api-Key: ${secret}`]
      const response = await send(host.port, { ...callOn(own), session: null, headers: bearer })
      expect(verdictOf(response)).toBe('401 unauthenticated')
      expect(backend.lookups).toBe(0)
    })
  })

  test('401 has a challenge, and not one that an API key could meet', async () => {
    const response = await send(host.port, { path: '/keys', session: null })
    const challenge = parseChallenge(only(response, 'www-authenticate') ?? '')
    expect(challenge).toEqual({ scheme: 'Session', params: { realm: 'api-key-management' } })
  })

  test.each(['reserved-id', 'long-id', 'id-with-control'])(
    'the id of the session "%s" is refused with the first call, also one that reads',
    async (session) => {
      for (const call of [{ path: '/keys' }, { path: `/keys/${own}/revoke`, body: {} }]) {
        expect(verdictOf(await send(host.port, { ...call, session }))).toBe('500 internal_error')
      }
      const error = { name: 'TypeError', message: expect.stringContaining('"user.id"') }
      expect(errors).toMatchObject([error, error])
      expect(JSON.stringify(errors.map(String))).not.toContain('canary')
    },
  )

  test.each([
    ['nameless', 'u_5'],
    ['null-name', 'u_5'],
    ['classy', 'Classy'],
    ['two-lines', 'Noura of sales'],
    ['half-emoji', 'Noura \uFFFD'],
    ['only-control', 'u_5'],
    ['long-name', '🗝'.repeat(255)],
  ])('the user of the session "%s" is called %s, and can revoke', async (session, name) => {
    const response = await send(host.port, { path: '/keys', body: NEW_KEY, session })
    expect([response.status, jsonOf(response).key.creator.name]).toEqual([201, name])
    const path = `/keys/${jsonOf(response).key.id}/revoke`
    expect((await send(host.port, { path, body: {}, session })).status).toBe(200)
    const { events } = await backend.keys.listEvents({ workspaceId: 'ws_1' })
    expect(events.at(-1)).toMatchObject({ type: 'api_key.revoked', actor: { name } })
  })

  test.each([
    { field: 'workspaceId', value: 'ws_2' },
    { field: 'creator', value: { id: 'u_2', name: 'Omar' } },
    { field: 'actor', value: { id: 'u_2', name: 'Omar' } },
    { field: 'id', value: 'key_000000000000000000000' },
    { field: 'hash', value: 'f'.repeat(64) },
    { field: 'prefix', value: 'svc_live_abc' },
    { field: 'uses', value: 7 },
    { field: 'status', value: 'active' },
    { field: 'revokedAt', value: null },
    { field: 'replaces', value: 'key_000000000000000000000' },
    { field: 'createdAt', value: '2020-01-01T00:00:00.000Z' },
    { field: 'userId', value: 'u_2', hidden: true },
    { field: 'ownerId', value: 'u_2', hidden: true },
  ])(
    '$field in the body: 422, and nothing is written',
    async ({ field, value, hidden = false }) => {
      const before = [await everythingOf(backend, 'ws_1'), await everythingOf(backend, 'ws_2')]
      const response = await post(host.port, '/keys', { ...NEW_KEY, [field]: value })
      expect(verdictOf(response)).toBe('422 invalid_input')
      const path = hidden ? [] : [field]
      expect(jsonOf(response).issues).toMatchObject([{ path, code: 'unknown_field' }])
      const after = [await everythingOf(backend, 'ws_1'), await everythingOf(backend, 'ws_2')]
      expect(after).toEqual(before)
    },
  )

  test('headers and query name no one', async () => {
    const claims = ['X-Workspace-Id: ws_2', 'X-User-Id: u_2', 'X-Forwarded-User: omar']
    const headers = ['Content-Type: application/json', ...claims]
    const response = await send(host.port, { path: '/keys', headers, body: NEW_KEY })
    expect(jsonOf(response).key).toMatchObject({ workspaceId: 'ws_1', creator: USER })
    const query = await post(host.port, '/keys?workspaceId=ws_2', NEW_KEY)
    expect(verdictOf(query)).toBe('422 invalid_input')
  })
})

describe.each(managementHosts)('what manageKeys in $name lets out', ({ start }) => {
  const backend = testKeys()
  let host: RunningHost
  beforeAll(async () => {
    host = await start(backend.keys)
  })
  afterAll(() => host.close())

  test('a secret is in the one answer that issues it, and no hash in any', async () => {
    const created = jsonOf(await post(host.port, '/keys', NEW_KEY))
    const rotated = jsonOf(await post(host.port, `/keys/${created.key.id}/rotate`))
    const others = [
      await post(host.port, `/keys/${rotated.key.id}/revoke`),
      await post(host.port, `/keys/${rotated.key.id}/rotate`),
      await send(host.port, { path: '/keys' }),
    ]
    const text = JSON.stringify([others, backend.events])
    for (const secret of [created.secret, rotated.secret]) expect(text).not.toContain(secret)
    expect(JSON.stringify(rotated)).not.toContain(created.secret)
    expect(JSON.stringify([created, rotated, others])).not.toMatch(/[0-9a-f]{64}/)
  })
})
