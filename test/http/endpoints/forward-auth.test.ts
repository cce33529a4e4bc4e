import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ForwardAuthOptions, forwardAuth } from '../../../adapters/http/fetch.ts'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import {
  createApiKeys,
  type DefaultScope,
  defaultCatalogue,
  defineResources,
  pickScopes,
  plans,
} from '../../../src/index.ts'
import { testKeys, USER } from '../../support/http/keys.ts'
import { callsAnHour } from '../../support/memory-limiter.ts'
import { keyInput } from '../../support/world.ts'

/* Decisions without a server between. Odd methods and paths stand in hosts.txt, for every host. */

const resources = defineResources([{ type: 'project', label: { en: 'Projects' } }])
const world = testKeys({ resources, limiter: callsAnHour(1_000) })
const errors: unknown[] = []
const keys: Record<string, { readonly id: string; readonly secret: string }> = {}

const SETUP: ForwardAuthOptions<DefaultScope, Request> = {
  proxy: 'nginx',
  requirement: (method, path) => {
    if (path === '/throws') throw new Error('the table of routes is gone')
    if (path === '/unknown-scope') return 'nobody.knows' as DefaultScope
    if (path === '/any') return null
    if (path !== '/contacts' && !path.startsWith('/projects/')) return undefined
    return method === 'GET' || method === 'OPTIONS' ? 'contacts.read' : 'contacts.write'
  },
  resource: (_method, path) => ({ project: path.split('/')[2] ?? [] }),
  clientAddress: (request) => request.headers.get('x-forwarded-for'),
  cleartext: 'refuse',
  isSecure: (request) => request.headers.get('x-forwarded-proto') !== 'http',
  onError: (error) => errors.push(error),
}
const auth = forwardAuth(world.keys, SETUP)

beforeAll(async () => {
  const create = async (name: string, fields: object = {}) => {
    const { key, secret } = await world.keys.createKey(keyInput({ name, ...fields }))
    keys[name] = { id: key.id, secret }
  }
  await create('reader')
  await create('odd', { workspaceId: 'مساحة 1' })
  await create('writer', { scopes: ['contacts.read', 'contacts.write'] })
  await create('bound', { resources: { project: ['a:b', 'p_1'] } })
  await create('near', { networks: ['198.51.100.0/24'] })
  await create('revoked')
  await world.keys.revokeKey({ workspaceId: 'ws_1', id: keys['revoked']?.id ?? '', actor: USER })
})
beforeEach(() => {
  errors.length = 0
  world.outage = false
})

/** What a proxy gets for the header lines that it sends; a name of a key stands for its secret. */
async function asked(headers: Readonly<Record<string, string>>, by = auth, method = 'GET') {
  const response = await by(new Request('https://a.example/auth', { method, headers }))
  const text = await response.text()
  const code = text === '' ? 'accepted' : JSON.parse(text).code
  return { verdict: `${response.status} ${code}`, headers: response.headers, text }
}

const about = (name: string | null, uri: string, method = 'GET', more: object = {}) =>
  asked({
    'x-original-method': method,
    'x-original-uri': uri,
    ...(name !== null && { authorization: `Bearer ${keys[name]?.secret ?? name}` }),
    ...more,
  })

test('an accepted key: 200 and whose it is, percent-encoded', async () => {
  const { verdict, headers } = await about('reader', '/contacts?page=2&next=%2Fa//b')
  expect(verdict).toBe('200 accepted')
  expect(Object.fromEntries(headers)).toMatchObject({
    'x-api-key-id': keys['reader']?.id,
    'x-workspace-id': 'ws_1',
    'x-api-key-scopes': 'contacts.read',
    'cache-control': 'no-store',
    vary: 'Authorization',
    ratelimit: expect.stringMatching(/r=/),
  })
  const writer = await about('writer', '/any')
  expect(writer.headers.get('x-api-key-scopes')).toBe('contacts.read contacts.write')
  const odd = await about('odd', '/any')
  expect(odd.headers.get('x-workspace-id')).toBe(encodeURIComponent('مساحة 1'))
})

const PREFLIGHT = {
  'access-control-request-method': 'GET',
  origin: 'https://a.example',
  'x-forwarded-method': 'OPTIONS',
}

test.each<readonly [string | null, string, string, object, string]>([
  [null, 'GET', '/contacts', {}, '401 missing'],
  ['svc_live_unknown', 'GET', '/contacts', {}, '401 invalid_token'],
  ['revoked', 'GET', '/contacts', {}, '401 invalid_token'],
  ['reader', 'POST', '/contacts', {}, '403 insufficient_scope'],
  ['reader', 'GET', '/admin', {}, '403 forbidden'],
  [null, 'GET', '/admin', {}, '403 forbidden'],
  // Never a yes to a preflight, also where a header claims one.
  [null, 'OPTIONS', '/contacts', PREFLIGHT, '401 missing'],
  ['reader', 'OPTIONS', '/contacts', PREFLIGHT, '200 accepted'],
  ['bound', 'GET', '/projects/p_1', {}, '200 accepted'],
  ['bound', 'GET', '/projects/a%3Ab', {}, '200 accepted'],
  ['bound', 'GET', '/contacts', {}, '403 resource_not_allowed'],
  ['near', 'GET', '/contacts', {}, '403 network_not_allowed'],
  ['near', 'GET', '/contacts', { 'x-forwarded-for': '198.51.100.9' }, '200 accepted'],
  ['reader', 'GET', '/contacts', { 'x-forwarded-proto': 'http' }, '403 https_required'],
  [null, 'GET', '/contacts', { 'x-forwarded-proto': 'http' }, '403 https_required'],
  ['reader', 'GET', '/contacts', { authorization: 'Bearer a, Bearer b' }, '400 invalid_request'],
])('%s, %s %s, %j: %s', async (name, method, uri, more, verdict) => {
  const answer = await about(name, uri, method, more)
  expect(answer.verdict).toBe(verdict)
  expect(answer.headers.has('x-api-key-id')).toBe(verdict === '200 accepted')
  expect(answer.headers.has('www-authenticate')).toBe(
    /^401|invalid_re|_scope|_allowed/.test(verdict),
  )
})

test('restricted keys reach every path with resource "none", and none without the option', async () => {
  const { resource: _, ...unsaid } = SETUP
  const authorization = `Bearer ${keys['bound']?.secret}`
  const original = { 'x-original-method': 'GET', 'x-original-uri': '/contacts', authorization }
  const verdictOf = async (options: typeof SETUP) =>
    (await asked(original, forwardAuth(world.keys, options))).verdict
  expect(await verdictOf({ ...unsaid, resource: 'none' })).toBe('200 accepted')
  expect(await verdictOf(unsaid)).toBe('403 resource_not_allowed')
})

test('an odd path is refused before anything else', async () => {
  const before = world.lookups
  expect((await about('reader', '/contacts/../admin')).verdict).toBe('400 bad_request')
  expect([world.lookups, errors]).toEqual([before, []])
})

test('requirement that throws, or names a scope that nobody has, refuses and is reported', async () => {
  for (const path of ['/throws', '/unknown-scope']) {
    expect((await about('reader', path)).verdict).toMatch(/^500/)
  }
  expect(errors).toEqual([
    new Error('the table of routes is gone'),
    expect.objectContaining({ code: 'unknown_scope' }),
  ])
})

test('an outage is 503', async () => {
  world.outage = true
  const { verdict, headers } = await about('reader', '/contacts')
  expect([verdict, headers.get('retry-after')]).toEqual(['503 storage_unavailable', '1'])
})

describe('the options of forwardAuth', () => {
  const requirement = () => null
  const ORIGINAL = ['x-original-method', 'x-original-uri'] as const
  const FORWARDED = ['x-forwarded-method', 'x-forwarded-uri'] as const

  test.each([
    ['nginx', ORIGINAL, FORWARDED],
    ['envoy', ORIGINAL, FORWARDED],
    ['traefik', FORWARDED, ORIGINAL],
    ['caddy', FORWARDED, ORIGINAL],
  ] as const)('%s has one pair of headers', async (proxy, [method, uri], [other, where]) => {
    const by = forwardAuth(world.keys, { proxy, requirement })
    const authorization = `Bearer ${keys['reader']?.secret}`
    const own = { authorization, [method]: 'GET', [uri]: '/a' }
    expect((await asked({ ...own, [other]: 'x', [where]: '//' }, by)).verdict).toBe('200 accepted')
    const foreign = { authorization, [other]: 'GET', [where]: '/a' }
    for (const headers of [foreign, { ...foreign, [method]: 'GET' }, { ...foreign, [uri]: '/a' }]) {
      expect((await asked(headers, by)).verdict).toBe('400 bad_request')
    }
  })

  test('a key without a scope that is on offer has "-", and a workspace of that name is encoded', async () => {
    const storage = memoryStorage()
    const { secret } = await testKeys({ storage }).keys.createKey(keyInput({ workspaceId: '-' }))
    const catalogue = pickScopes(defaultCatalogue, ['messages.send'])
    const later = createApiKeys({ storage, catalogue, entitlements: () => plans.business })
    const by = forwardAuth(later, { proxy: 'nginx', requirement })
    const original = { 'x-original-method': 'GET', 'x-original-uri': '/a' }
    const { headers } = await asked({ ...original, authorization: `Bearer ${secret}` }, by)
    expect([headers.get('x-api-key-scopes'), headers.get('x-workspace-id')]).toEqual(['-', '%2D'])
  })

  test('the place and the presentation of keys are those of requireKey', async () => {
    const by = forwardAuth(world.keys, {
      ...{ proxy: 'nginx', requirement, accept: ['x-api-key'], realm: 'gateway' },
      onDenied: ({ reason }, answer) => ({ ...answer, body: JSON.stringify({ code: reason }) }),
    })
    const answer = await asked({ 'x-original-method': 'GET', 'x-original-uri': '/a' }, by)
    expect(answer.headers.get('www-authenticate')).toBe('ApiKey realm="gateway"')
    expect(answer.verdict).toBe('401 missing')
  })

  test.each([
    [{}, /must be nginx, envoy, traefik, caddy\./],
    [{ proxy: 'haproxy', requirement }, /must be nginx, envoy/],
    [{ proxy: 'constructor', requirement }, /must be nginx, envoy/],
    [{ proxy: 'nginx' }, 'forwardAuth: option "requirement" must be a function.'],
    [{ proxy: 'nginx', requirement: 'contacts.read' }, /"requirement"/],
    [{ proxy: 'nginx', requirement, resource: 'by_route' }, /"resource"/],
    [{ proxy: 'nginx', requirement, resource: 'by_handler' }, /"resource"/],
    [{ proxy: 'nginx', requirement, clientAddress: '127.0.0.1' }, /"clientAddress"/],
    [{ proxy: 'nginx', requirement, realm: '"' }, /realm/],
    [{ proxy: 'nginx', requirement, accept: [] }, /accept/],
    [{ proxy: 'nginx', requirement, cleartext: 'refuse' }, /isSecure/],
    [{ proxy: 'nginx', requirement, isSecure: true }, /"isSecure"/],
    [{ proxy: 'nginx', requirement, onError: 1 }, /"onError"/],
  ])('throws for %j', (options, message) => {
    const mount = () => forwardAuth(world.keys, options as never)
    expect(mount).toThrow(TypeError)
    expect(mount).toThrow(message)
  })
})
