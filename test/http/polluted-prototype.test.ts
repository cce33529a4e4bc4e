import { metrics } from '@opentelemetry/api'
import { beforeAll, describe, expect, test } from 'vitest'
import { forwardAuth, introspectKeys, revokeBySecret } from '../../adapters/http/fetch.ts'
import { metered } from '../../adapters/otel/index.ts'
import { memoryStorage } from '../../adapters/storage/memory.ts'
import {
  type PostgresPool,
  postgresSchema,
  postgresStorage,
} from '../../adapters/storage/postgres.ts'
import { sqliteStorage } from '../../adapters/storage/sqlite.ts'
import { relayEvents, writeNotices } from '../../src/events/index.ts'
import { createGuard } from '../../src/http/index.ts'
import { type ApiKeysOptions, createApiKeys, type Entitlements } from '../../src/index.ts'
import { managementHosts } from '../support/http/every-host.ts'
import { postForm } from '../support/http/forms.ts'
import { guardHosts } from '../support/http/guard-hosts.ts'
import { hostForAll } from '../support/http/host-for.ts'
import { issueKey, testKeys, USER } from '../support/http/keys.ts'
import {
  type Call,
  JSON_TYPE,
  jsonOf,
  NEW_KEY,
  post,
  send,
  verdictOf,
} from '../support/http/management-call.ts'
import { polluted } from '../support/http/polluted.ts'
import { headerOf } from '../support/http/raw-client.ts'
import { get } from '../support/http/requests.ts'
import { keyInput } from '../support/world.ts'

/*
 * Some other library lets a client write to Object.prototype. What every object inherits then is no
 * part of a request, a session or an option.
 */

describe.each(guardHosts)('a guard in $name', ({ start }) => {
  const backend = testKeys()
  const host = hostForAll(() => start(backend.keys))
  let secret: string
  beforeAll(async () => {
    secret = (await issueKey(backend)).secret
  })

  const names = ['authorization', 'Authorization', 'access-control-request-method']
  test.each(names)('%s is no key and no preflight', async (name) => {
    for (const inherited of [`Bearer ${secret}`, [`Bearer ${secret}`], 'GET']) {
      const response = await polluted({ [name]: inherited }, () => get(host.port, '/any'))
      expect(verdictOf(response)).toBe('401 missing')
    }
  })

  test('a key that is sent still opens', async () => {
    const good = [`Authorization: Bearer ${secret}`]
    const names = ['authorization', 'rawHeaders', 'raw', 'apiKey', 'vary', 'realm', 'key']
    for (const name of names) {
      const response = await polluted({ [name]: 'x' }, () => get(host.port, '/any', good))
      expect([name, response.status]).toEqual([name, 200])
      expect(headerOf(response, 'vary').join()).toContain('Authorization')
    }
  })
})

/** Hono's own parsing of bodies fails while every object inherits anything. */
const sound = managementHosts.filter(({ name }) => name !== 'hono, parsed')

describe.each(sound)('manageKeys in $name', ({ name: hostName, start, parsesFirst }) => {
  const backend = testKeys()
  const host = hostForAll(() => start(backend.keys))
  const answerOf = (pollution: Readonly<Record<string, unknown>>, call: Call) =>
    polluted(pollution, () => send(host.port, call))
  const elsewhere = {
    ...{ path: '/keys', body: NEW_KEY },
    headers: [JSON_TYPE, 'Origin: https://evil.example'],
  }

  test.each<readonly [Readonly<Record<string, unknown>>, string, Call]>([
    [{ user: USER }, '500 internal_error', { path: '/keys', session: 'half' }],
    // A Web-standard host learns its name from the URL, which its server makes of what it inherits.
    ...(/^(?:fetch|hono)$/.test(hostName) ? [] : [{ host: 'evil.example' }])
      .concat([
        { ':authority': 'evil.example' },
        { 'sec-fetch-site': 'same-origin' },
        { allowedOrigins: ['https://evil.example'] },
      ] as never[])
      .map((pollution) => [pollution, '403 forbidden', elsewhere] as const),
    ...(parsesFirst ? [] : [{ 'content-type': 'application/json' }]).map(
      (pollution) =>
        [
          pollution,
          '415 unsupported_media_type',
          { method: 'POST', path: '/keys', headers: [] },
        ] as const,
    ),
  ])('%j is no part of a call: %s', async (pollution, verdict, call) => {
    expect(verdictOf(await answerOf(pollution, call))).toBe(verdict)
  })

  test('fields that a body lacks are missing', async () => {
    const { issues } = jsonOf(await answerOf({ ...NEW_KEY }, { path: '/keys', body: {} }))
    const paths = issues.map(({ path }: { path: unknown }) => path)
    expect(paths).toEqual([['name'], ['environment'], ['scopes']])
  })

  test.each([{ body: NEW_KEY }, { parsed: NEW_KEY }, { raw: {} }])(
    '%j is no body, no path and no platform',
    async (pollution) => {
      const sent = { ...NEW_KEY, name: 'What was sent' }
      const response = await answerOf(pollution, { path: '/keys', body: sent })
      expect([response.status, jsonOf(response).key.name]).toEqual([201, 'What was sent'])
    },
  )

  test('a filter that is not given does not filter', async () => {
    for (const _ of [1, 2]) await post(host.port, '/keys', NEW_KEY)
    for (const pollution of [{ limit: '1' }, { status: 'revoked' }, { environment: 'test' }]) {
      const response = await answerOf(pollution, { path: '/keys' })
      expect(jsonOf(response).keys.length).toBeGreaterThan(1)
    }
  })
})

describe('the endpoints', () => {
  const backend = testKeys()
  const authorize = (request: Request) =>
    request.headers.has('x-half') ? ({} as never) : ('any' as const)
  const introspect = introspectKeys(backend.keys, { authorize, onError: () => {} })
  const revoke = revokeBySecret(backend.keys)
  const requirement = () => 'contacts.read' as const
  const auth = forwardAuth(backend.keys, { proxy: 'nginx', requirement })
  const decide = async (headers: Record<string, string>) =>
    (await auth(new Request('https://a.example/auth', { headers }))).status
  let secret: string
  beforeAll(async () => {
    secret = (await issueKey(backend)).secret
  })

  test('take no header, key, restriction or option that is inherited', async () => {
    const original = { 'x-original-method': 'GET', 'x-original-uri': '/contacts' }
    const key = { authorization: `Bearer ${secret}` }
    expect(await polluted(original, () => decide(key))).toBe(400)
    const pollution = { ...key, cleartext: 'allow', resource: 'none' }
    expect(await polluted(pollution, () => decide(original))).toBe(401)
  })

  test('take no token and no workspace that is inherited', async () => {
    for (const endpoint of [introspect, revoke]) {
      const answer = await polluted({ token: secret }, () => postForm(endpoint, 'a=b'))
      expect(answer.verdict).toBe('400 invalid_request')
    }
    expect((await backend.keys.authenticate(`Bearer ${secret}`, null)).ok).toBe(true)
    const call = () => postForm(introspect, { token: secret }, { 'x-half': '1' })
    expect((await polluted({ workspaceId: 'ws_1' }, call)).verdict).toBe('500 server_error')
  })
})

const entitlements = () => FREE
const created = async (options: Partial<ApiKeysOptions>) =>
  createApiKeys({ storage: memoryStorage(), entitlements, ...options }).createKey(keyInput())

test('an option that is not given is not there', async () => {
  const { keys } = testKeys()
  const verdict = await polluted(
    { realm: 'evil', accept: ['x-api-key'], onDenied: () => null },
    async () => createGuard(keys, null).check('GET', () => []),
  )
  expect(verdict.ok || verdict.answer.headers['www-authenticate']).toBe('Bearer realm="api"')
  const pollution = { brand: 'evil', entitlementsTtlMs: -1, now: 'x', storageTimeoutMs: 0 }
  const { secret } = await polluted(pollution, () => created({}))
  expect(secret).toMatch(/^svc_live_/)
})

test('nor is one of a storage, a relay, the notices, the metrics or a call', async () => {
  const storage = memoryStorage()
  const { keys } = testKeys()
  const odd = { pollMs: 0, leaseMs: 0, storageTimeoutMs: 0, cost: 0 }
  await polluted({ ...odd, now: 'x', onError: 'x' }, async () => {
    await relayEvents({ storage, deliver: async () => {} }).stop()
    await writeNotices({ storage }).stop()
    await keys.authenticate(undefined, null, {})
  })
  await polluted({ onAuthentication: 'x' }, async () => {
    createApiKeys(metered({ storage, entitlements }, metrics.getMeter('test')))
  })
  const roles = { schema: '"', tablePrefix: '"', runtimeRole: 'mallory', erasureRole: 'mallory' }
  expect(await polluted(roles, async () => postgresSchema())).not.toContain('mallory')
  const pool = { query: () => Promise.reject(new Error('not called')) } as unknown as PostgresPool
  // The driver's own module cannot be loaded on such a prototype.
  await sqliteStorage(':memory:').migrate()
  await polluted({ ...roles, migrate: 'x', preparedStatements: 'x' }, async () => {
    postgresStorage(pool)
    await sqliteStorage(':memory:').migrate()
  })
})

const FREE = { publicApi: true, activeKeyLimit: null }

test.each([undefined, {}])(
  'a plan that the host does not know (%j) allows nothing',
  async (plan) => {
    const unknown = () => plan as unknown as Entitlements
    const create = polluted(FREE, () => created({ entitlements: unknown }))
    await expect(create).rejects.toMatchObject({ operation: 'entitlements' })
  },
)
