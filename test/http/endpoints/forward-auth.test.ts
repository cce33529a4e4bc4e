import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
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
import { endpointHosts } from '../../support/http/endpoint-hosts.ts'
import type { RunningHost } from '../../support/http/guard-hosts.ts'
import { testKeys, USER } from '../../support/http/keys.ts'
import { exchange, headerOf, type RawResponse, timeless } from '../../support/http/raw-client.ts'
import { headerIn, requestText } from '../../support/http/requests.ts'
import { callsAnHour } from '../../support/memory-limiter.ts'
import { keyInput } from '../../support/world.ts'

const resources = defineResources([{ type: 'project', label: { en: 'Projects' } }])

/** What every host forwards to, by the proxy that it stands behind. */
const setup = (proxy: ForwardAuthOptions<DefaultScope, unknown>['proxy']) => ({
  proxy,
  requirement: (method: string, path: string) => {
    if (path === '/throws') throw new Error('the table of routes is gone')
    if (path === '/unknown-scope') return 'nobody.knows' as DefaultScope
    if (path === '/any') return null
    if (path === '/contacts' || path.startsWith('/projects/')) {
      return method === 'GET' || method === 'OPTIONS' ? 'contacts.read' : 'contacts.write'
    }
    return undefined
  },
  resource: (_method: string, path: string) => ({ project: path.split('/')[2] ?? [] }),
  clientAddress: (request: unknown) => headerIn(request, 'x-forwarded-for') ?? null,
  cleartext: 'refuse' as const,
  isSecure: (request: unknown) => headerIn(request, 'x-forwarded-proto') !== 'http',
})

const PAIRS = {
  nginx: ['X-Original-Method', 'X-Original-URI'],
  envoy: ['X-Original-Method', 'X-Original-URI'],
  traefik: ['X-Forwarded-Method', 'X-Forwarded-Uri'],
  caddy: ['X-Forwarded-Method', 'X-Forwarded-Uri'],
} as const

describe.each(endpointHosts)('forwardAuth in $name', ({ start }) => {
  const world = testKeys({
    resources,
    limiter: callsAnHour(100),
  })
  const errors: unknown[] = []
  const hosts = new Map<string, RunningHost>()
  const keys: Record<string, { readonly id: string; readonly secret: string }> = {}

  const create = async (name: string, fields: object = {}) => {
    const { key, secret } = await world.keys.createKey(keyInput({ name, ...fields }))
    keys[name] = { id: key.id, secret }
  }

  beforeAll(async () => {
    for (const proxy of ['nginx', 'traefik'] as const) {
      const forwarding = { ...setup(proxy), onError: (error: unknown) => errors.push(error) }
      hosts.set(proxy, await start(world.keys, { forwarding }))
    }
    await create('reader')
    await create('odd', { workspaceId: 'مساحة 1' })
    await create('bound', { resources: { project: ['a:b', 'p_1'] } })
    await create('near', { networks: ['198.51.100.0/24'] })
    await create('revoked')
    await world.keys.revokeKey({ workspaceId: 'ws_1', id: keys['revoked']?.id ?? '', actor: USER })
  })
  afterAll(() => Promise.all([...hosts.values()].map((host) => host.close())))
  beforeEach(() => {
    errors.length = 0
    world.outage = false
  })

  /** One call of the proxy, with header lines as they are. */
  const call = (lines: readonly string[], method = 'GET', proxy = 'nginx'): Promise<RawResponse> =>
    exchange(hosts.get(proxy)?.port ?? 0, requestText('/auth', lines, method))
  const about = (name: string | null, uri: string, method = 'GET', more: readonly string[] = []) =>
    call([
      `X-Original-Method: ${method}`,
      `X-Original-URI: ${uri}`,
      ...(name === null ? [] : [`Authorization: Bearer ${keys[name]?.secret ?? name}`]),
      ...more,
    ])
  const codeOf = ({ body }: RawResponse) => JSON.parse(body).code

  test('an accepted key: 200 and whose it is', async () => {
    const answer = await about('reader', '/contacts?page=2&next=%2Fa//b')
    expect(answer.status).toBe(200)
    expect(answer.body).toBe('')
    expect(headerOf(answer, 'x-api-key-id')).toEqual([keys['reader']?.id])
    expect(headerOf(answer, 'x-workspace-id')).toEqual(['ws_1'])
    expect(headerOf(answer, 'x-api-key-scopes')).toEqual(['contacts.read'])
    expect(headerOf(answer, 'cache-control')).toEqual(['no-store'])
    expect(headerOf(answer, 'vary').join()).toContain('Authorization')
    expect(headerOf(answer, 'ratelimit').join()).not.toBe('')
  })

  test('plain HTTP before the proxy is refused with the same bytes', async () => {
    const inClear = ['X-Forwarded-Proto: http']
    const refused = await about('reader', '/contacts', 'GET', inClear)
    expect([refused.status, codeOf(refused)]).toEqual([403, 'https_required'])
    const without = await about(null, '/contacts', 'GET', inClear)
    expect(timeless(without)).toEqual(timeless(refused))
  })

  test('identity headers are never empty, and percent-encoded', async () => {
    const odd = await about('odd', '/any')
    expect(headerOf(odd, 'x-workspace-id')).toEqual([encodeURIComponent('مساحة 1')])
  })

  test('the method counts', async () => {
    expect((await about('reader', '/contacts', 'GET')).status).toBe(200)
    const refused = await about('reader', '/contacts', 'POST')
    expect([refused.status, codeOf(refused)]).toEqual([403, 'insufficient_scope'])
    expect(headerOf(refused, 'www-authenticate').join()).toContain('scope="contacts.write"')
  })

  test('OPTIONS opens nothing without a key, also where a header claims a preflight', async () => {
    const preflight = ['Access-Control-Request-Method: GET', 'Origin: https://a.example']
    const original = await about(null, '/contacts', 'OPTIONS', preflight)
    expect([original.status, codeOf(original)]).toEqual([401, 'missing'])
    const forged = await about(null, '/contacts', 'GET', [
      ...preflight,
      'X-Forwarded-Method: OPTIONS',
    ])
    expect(forged.status).toBe(401)
    const lines = ['X-Original-Method: GET', 'X-Original-URI: /contacts', ...preflight]
    expect((await call(lines, 'OPTIONS')).status).toBe(401)
    expect((await about('reader', '/contacts', 'OPTIONS', preflight)).status).toBe(200)
  })

  test.each([
    ['no key', null, '/contacts', 401, 'missing'],
    ['an unknown key', 'svc_live_unknown', '/contacts', 401, 'invalid_token'],
    ['a revoked key', 'revoked', '/contacts', 401, 'invalid_token'],
    ['a path that requires nothing known', 'reader', '/admin', 403, 'forbidden'],
    ['the same without a key', null, '/admin', 403, 'forbidden'],
    [
      'a resource that the key does not reach',
      'bound',
      '/projects/p_2',
      403,
      'resource_not_allowed',
    ],
    ['no resource', 'bound', '/contacts', 403, 'resource_not_allowed'],
    ['no address', 'near', '/contacts', 403, 'network_not_allowed'],
  ] as const)('refuses %s', async (_name, key, uri, status, code) => {
    const answer = await about(key, uri)
    expect([answer.status, codeOf(answer)]).toEqual([status, code])
    expect(headerOf(answer, 'x-api-key-id')).toEqual([])
    if (status === 401) expect(headerOf(answer, 'www-authenticate')).toHaveLength(1)
  })

  test('restricted keys, by what the path and the proxy say', async () => {
    expect((await about('bound', '/projects/p_1')).status).toBe(200)
    expect((await about('bound', '/projects/a%3Ab')).status).toBe(200)
    const near = await about('near', '/contacts', 'GET', ['X-Forwarded-For: 198.51.100.9'])
    expect(near.status).toBe(200)
  })

  test.each([
    '/contacts/../admin',
    '/contacts/..',
    '/./contacts',
    '/contacts/.',
    '//contacts',
    '/contacts//',
    '/contacts\\..\\admin',
    '/contacts;a=b',
    '/%2e%2e%2fcontacts',
    '/%2E%2E/contacts',
    '/a%2fb',
    '/a%5cb',
    '/a%252e',
    '/a%00',
    '/a%0d%0a',
    '/a%7f',
    '/a%c2%85',
    '/a%',
    '/a%4',
    '/a%zz',
    '/a%c0%ae',
    '/a%ff',
    '/a#b',
    '/a b',
    '/caf\xe9',
    'contacts',
    'http://a.example/contacts',
    '*',
    '',
    '?a=/contacts',
  ])('refuses the path %j before anything else', async (uri) => {
    const before = world.lookups
    const answer = await about('reader', uri)
    expect([answer.status, codeOf(answer)]).toEqual([400, 'bad_request'])
    expect(world.lookups).toBe(before)
    expect(errors).toEqual([])
  })

  test('what is percent-encoded without need is decoded before it is judged', async () => {
    expect((await about('reader', '/%63ontacts')).status).toBe(200)
    expect((await about('reader', '/cont%61cts', 'POST')).status).toBe(403)
    expect((await about('reader', '/contacts%3Fa')).status).toBe(403)
  })

  test('a header that is missing, repeated or of another proxy', async () => {
    const key = `Authorization: Bearer ${keys['reader']?.secret}`
    const [method, uri] = ['X-Original-Method: GET', 'X-Original-URI: /contacts']
    const answers = await Promise.all([
      call([key]),
      call([key, method]),
      call([key, uri]),
      call([key, method, method, uri]),
      call([key, method, uri, uri]),
      call([key, method, uri, 'X-Original-URI: /any']),
      call([key, 'X-Original-Method: GET, GET', uri]),
      call([key, 'X-Original-Method: get', uri]),
      call([key, 'X-Original-Method:', uri]),
      call([key, 'X-Forwarded-Method: GET', 'X-Forwarded-Uri: /contacts']),
      call([key, method, uri], 'GET', 'traefik'),
    ])
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 400))
    const both = [key, method, uri, 'X-Forwarded-Method: OPTIONS', 'X-Forwarded-Uri: /admin']
    expect((await call(both)).status).toBe(200)
    expect((await call(both, 'GET', 'traefik')).status).toBe(403)
  })

  test('two keys in one request', async () => {
    const second = [`Authorization: Bearer ${keys['revoked']?.secret}`]
    const answer = await about('reader', '/contacts', 'GET', second)
    expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid_request'])
  })

  test('requirement that throws, or names a scope that nobody has, refuses and is reported', async () => {
    expect((await about('reader', '/throws')).status).toBe(500)
    expect((await about('reader', '/unknown-scope')).status).toBe(500)
    expect(errors).toEqual([
      new Error('the table of routes is gone'),
      expect.objectContaining({ code: 'unknown_scope' }),
    ])
  })

  test('an outage is 503', async () => {
    world.outage = true
    const answer = await about('reader', '/contacts')
    expect([answer.status, codeOf(answer)]).toEqual([503, 'storage_unavailable'])
    expect(headerOf(answer, 'retry-after')).toEqual(['1'])
  })
})

describe('the options of forwardAuth', () => {
  const { keys } = testKeys()
  const requirement = () => null

  test.each(['nginx', 'envoy', 'traefik', 'caddy'] as const)(
    '%s has one pair of headers',
    async (proxy) => {
      const { secret } = await keys.createKey(keyInput())
      const auth = forwardAuth(keys, { proxy, requirement })
      for (const [name, pair] of Object.entries(PAIRS)) {
        const headers = { authorization: `Bearer ${secret}`, [pair[0]]: 'GET', [pair[1]]: '/a' }
        const { status } = await auth(new Request('https://a.example/auth', { headers }))
        expect([name, status]).toEqual([
          name,
          pair === PAIRS[proxy] || pair[0] === PAIRS[proxy][0] ? 200 : 400,
        ])
      }
    },
  )

  test('a key without a scope that is on offer has "-", and a workspace of that name is encoded', async () => {
    const storage = memoryStorage()
    const { secret } = await testKeys({ storage }).keys.createKey(keyInput({ workspaceId: '-' }))
    const catalogue = pickScopes(defaultCatalogue, ['messages.send'])
    const later = createApiKeys({ storage, catalogue, entitlements: () => plans.business })
    const auth = forwardAuth(later, { proxy: 'nginx', requirement })
    const headers = {
      authorization: `Bearer ${secret}`,
      'x-original-method': 'GET',
      'x-original-uri': '/a',
    }
    const answer = await auth(new Request('https://a.example/auth', { headers }))
    expect(answer.headers.get('x-api-key-scopes')).toBe('-')
    expect(answer.headers.get('x-workspace-id')).toBe('%2D')
  })

  test('the place and the presentation of keys are those of requireKey', async () => {
    const auth = forwardAuth(keys, {
      proxy: 'nginx',
      requirement,
      accept: ['x-api-key'],
      realm: 'gateway',
      onDenied: ({ reason }, answer) => ({ ...answer, body: reason }),
    })
    const headers = { 'x-original-method': 'GET', 'x-original-uri': '/a' }
    const answer = await auth(new Request('https://a.example/auth', { headers }))
    expect(answer.headers.get('www-authenticate')).toBe('ApiKey realm="gateway"')
    expect(await answer.text()).toBe('missing')
  })

  test.each([
    {},
    { proxy: 'haproxy', requirement },
    { proxy: 'constructor', requirement },
    { proxy: 'nginx' },
    { proxy: 'nginx', requirement: 'contacts.read' },
    { proxy: 'nginx', requirement, resource: 'by_route' },
    { proxy: 'nginx', requirement, resource: 'by_handler' },
    { proxy: 'nginx', requirement, clientAddress: '127.0.0.1' },
    { proxy: 'nginx', requirement, realm: '"' },
    { proxy: 'nginx', requirement, accept: [] },
    { proxy: 'nginx', requirement, cleartext: 'refuse' },
    { proxy: 'nginx', requirement, isSecure: true },
    { proxy: 'nginx', requirement, onError: 1 },
  ])('throws for %j', (options) => {
    expect(() => forwardAuth(keys, options as never)).toThrow(TypeError)
  })
})
