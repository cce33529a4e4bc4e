import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { introspectKeys, manageKeys } from '../../../adapters/http/fetch.ts'
import { defineResources, OutageError } from '../../../src/index.ts'
import { mintSecret } from '../../../src/secret/mint.ts'
import {
  bytesOf,
  endpointHosts,
  INTROSPECTION,
  postForm,
} from '../../support/http/endpoint-hosts.ts'
import { hostForAll } from '../../support/http/host-for.ts'
import { testKeys, USER } from '../../support/http/keys.ts'
import { callsAnHour } from '../../support/memory-limiter.ts'
import { keyInput } from '../../support/world.ts'

const resources = defineResources([
  { type: 'project', label: { en: 'Projects' } },
  { type: 'team', label: { en: 'Teams' } },
])

const NOW_S = Date.UTC(2026, 5, 15, 12) / 1_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW_S * 1_000 })
  return () => vi.useRealTimers()
})

const TOO_LARGE = [
  ['too many resources', `token=a${'&miftah_resource=project:p'.repeat(1_001)}`, 400],
  ['more than 64 KiB', `token=${'a'.repeat(65_536)}`, 413],
] as const

describe.each(endpointHosts)('introspection in $name', ({ start, parsesFirst }) => {
  const world = testKeys({
    resources,
    now: () => new Date(),
    limiter: callsAnHour(1),
  })
  const errors: unknown[] = []
  const host = hostForAll(() =>
    start(world.keys, {
      introspection: {
        ...INTROSPECTION,
        metadata: ['tier', 'absent'],
        onError: (error) => errors.push(error),
      },
    }),
  )
  let url: string

  beforeAll(async () => {
    url = `http://127.0.0.1:${host.port}/introspect`
  })
  beforeEach(() => {
    errors.length = 0
    world.outage = false
    world.plans.clear()
  })

  const create = (fields: object = {}) =>
    world.keys.createKey(keyInput({ scopes: ['messages.send', 'contacts.read'], ...fields }))
  const introspect = (
    token: string,
    more: readonly (readonly [string, string])[] = [],
    as = 'Bearer rs-any',
  ) => postForm(url, [['token', token], ...more], { authorization: as })
  const isActive = async (...args: Parameters<typeof introspect>) => {
    const { status, text } = await introspect(...args)
    expect(status).toBe(200)
    return JSON.parse(text).active
  }

  test('an active key: the members that libraries look for', async () => {
    const { key, secret } = await create({ metadata: { tier: 'gold', note: 'private' } })
    const answer = await introspect(secret)
    const json = JSON.parse(answer.text)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(json).toEqual({
      active: true,
      scope: 'messages.send contacts.read',
      client_id: key.id,
      sub: 'ws_1',
      username: 'ws_1',
      token_type: 'Bearer',
      iat: NOW_S,
      exp: NOW_S + 60,
      miftah_environment: 'live',
      miftah_resources: { project: 'all', team: 'all' },
      miftah_metadata: { tier: 'gold' },
    })
  })

  test('exp is never after the expiry, nor after the end of an overlap', async () => {
    const { key, secret } = await create({ expiresAt: new Date((NOW_S + 90) * 1_000) })
    const exp = async () => JSON.parse((await introspect(secret)).text).exp
    vi.setSystemTime((NOW_S + 40) * 1_000)
    expect(await exp()).toBe(NOW_S + 90)
    await world.keys.rotateKey({
      ...{ workspaceId: 'ws_1', id: key.id, actor: USER, overlapSeconds: 5 },
    })
    expect(await exp()).toBe(NOW_S + 45)
  })

  test('every inactive token gets the same bytes', async () => {
    const expiresAt = new Date(Date.now() + 90_000)
    const [revoked, expired, paused, replaced, unpaid, other, bound, near] = await Promise.all([
      create(),
      create({ expiresAt }),
      create(),
      create(),
      create({ workspaceId: 'ws_2' }),
      create({ workspaceId: 'ws_3' }),
      create({ resources: { project: ['p_1'] } }),
      create({ networks: ['198.51.100.0/24'] }),
    ])
    const action = { workspaceId: 'ws_1', actor: USER }
    await world.keys.revokeKey({ ...action, id: revoked.key.id })
    await world.keys.pauseKey({ ...action, id: paused.key.id })
    await world.keys.rotateKey({ ...action, id: replaced.key.id })
    world.plans.set('ws_2', { publicApi: false, activeKeyLimit: null })
    const project = (id: string) => [['miftah_resource', `project:${id}`]] as const
    const answers = [
      await introspect(mintSecret('svc', 'live')),
      await introspect('nonsense'),
      await introspect(`${revoked.secret} `),
      await introspect(`Bearer ${bound.secret}`),
      await introspect('مفتاح'),
      await introspect('x'.repeat(60_000)),
      await introspect(revoked.secret),
      await introspect(paused.secret),
      await introspect(replaced.secret),
      await introspect(unpaid.secret),
      await introspect(other.secret, [], 'Bearer rs-ws_1'),
      await introspect(bound.secret),
      await introspect(bound.secret, project('p_2')),
      await introspect(bound.secret, [...project('p_1'), ...project('p_2')]),
      await introspect(bound.secret, [['miftah_resource', 'team:p_1']]),
      await introspect(near.secret),
      await introspect(near.secret, [['client_address', '203.0.113.1']]),
      await introspect(near.secret, [['client_address', 'localhost']]),
    ]
    vi.setSystemTime(expiresAt.getTime() + 1)
    answers.push(await introspect(expired.secret))
    expect(new Set(answers.map(bytesOf)).size).toBe(1)
    expect(answers[0]?.text).toBe('{"active":false}')
    expect(errors).toEqual([])
  })

  test('a restricted key is active for what it reaches', async () => {
    const both = await create({
      resources: { project: ['a:b', 'p_1'], team: ['t_1'] },
      networks: ['198.51.100.0/24'],
    })
    const near = ['client_address', '198.51.100.7'] as const
    const team = ['miftah_resource', 'team:t_1'] as const
    const projects = [
      ['miftah_resource', 'project:p_1'],
      ['miftah_resource', 'project:a:b'],
    ] as const
    expect(await isActive(both.secret, [near, team, ...projects])).toBe(true)
    expect(await isActive(both.secret, [near, ...projects])).toBe(false)
    expect(await isActive(both.secret, [team, ...projects])).toBe(false)
    const { miftah_resources } = JSON.parse(
      (await introspect(both.secret, [near, team, ...projects])).text,
    )
    expect(miftah_resources).toEqual({ project: ['a:b', 'p_1'], team: ['t_1'] })
  })

  test('an empty list reaches nothing', async () => {
    const { secret } = await create({ resources: { project: [] } })
    expect(await isActive(secret, [['miftah_resource', 'project:p_1']])).toBe(false)
  })

  test('a use is counted, the limiter is not called, and other workspaces count nothing', async () => {
    const { key, secret } = await create()
    for (let at = 0; at < 3; at += 1) expect(await isActive(secret)).toBe(true)
    expect(await isActive(secret, [], 'Bearer rs-ws_1')).toBe(true)
    expect(await isActive(secret, [], 'Bearer rs-ws_2')).toBe(false)
    await world.keys.flush()
    const { uses } = await world.keys.getKey({ workspaceId: 'ws_1', id: key.id })
    expect(uses).toBe(4)
    expect((await world.keys.authenticate(`Bearer ${secret}`, null)).ok).toBe(true)
  })

  describe('refuses', () => {
    test.each([[undefined], ['Bearer nobody'], ['Basic cnM6YW55']])(
      'a caller that authorize does not know: %s',
      async (as) => {
        const { secret } = await create()
        const answer = await postForm(url, [['token', secret]], as ? { authorization: as } : {})
        expect(answer.status).toBe(401)
        expect(JSON.parse(answer.text).error).toBe('invalid_client')
        expect(answer.headers.get('www-authenticate')).toContain('Basic realm="introspection"')
      },
    )

    test('everything while authorize fails, and reports it', async () => {
      const { secret } = await create()
      const answer = await introspect(secret, [], 'Bearer rs-throws')
      expect([answer.status, JSON.parse(answer.text).error]).toEqual([500, 'server_error'])
      expect(errors).toEqual([new Error('the directory is gone')])
    })

    test.each([
      ['no token', 'tok=a', 400],
      ['an empty token', 'token=', 400],
      ['nothing', '', 400],
      ['two tokens', 'token=a&token=a', 400],
      ['two addresses', 'token=a&client_address=::1&client_address=::1', 400],
      ['a resource without a type', 'token=a&miftah_resource=p_1', 400],
      ['a type that is not defined', 'token=a&miftah_resource=folder:p_1', 400],
      ['a type that every object has', 'token=a&miftah_resource=__proto__:p_1', 400],
      ['an empty id', 'token=a&miftah_resource=project:', 400],
      ['an id with a space', 'token=a&miftah_resource=project:a+b', 400],
      // A parser of the host's has limits of its own.
      ...(parsesFirst ? [] : TOO_LARGE),
    ] as const)('%s', async (_name, form, status) => {
      const answer = await postForm(url, form, { authorization: 'Bearer rs-any' })
      expect([answer.status, JSON.parse(answer.text).error]).toEqual([status, 'invalid_request'])
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(errors).toEqual([])
    })

    test.each(['application/json', 'text/plain', ''])('a body of type "%s"', async (type) => {
      const { secret } = await create()
      const headers = { authorization: 'Bearer rs-any', 'content-type': type }
      const { status } = await postForm(url, `token=${secret}`, headers)
      // Fastify itself refuses what is no media type.
      expect([400, 415]).toContain(status)
    })

    test('a token in the query, and other methods', async () => {
      const { secret } = await create()
      const headers = { authorization: 'Bearer rs-any' }
      const answer = await postForm(`${url}?token=${secret}`, 'a=b', headers)
      expect(answer.status).toBe(400)
      const response = await fetch(`${url}?token=${secret}`, { headers })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
      const options = await fetch(url, { method: 'OPTIONS', headers })
      expect(options.status).toBe(405)
    })
  })

  test('an outage is 503, never inactive', async () => {
    const { secret } = await create()
    world.outage = true
    const answer = await introspect(secret)
    expect([answer.status, JSON.parse(answer.text).error]).toEqual([503, 'temporarily_unavailable'])
    expect(answer.headers.get('retry-after')).toBe('1')
    expect(errors).toEqual([expect.any(OutageError)])
  })

  test.skipIf(!parsesFirst)('a form that the host has parsed', async () => {
    const { secret } = await create({ resources: { project: ['p_1', 'p_2'] } })
    const both = ['p_1', 'p_2'].map((id) => ['miftah_resource', `project:${id}`] as const)
    expect(await isActive(secret, both)).toBe(true)
    const nested = await postForm(url, 'token[a]=b', { authorization: 'Bearer rs-any' })
    expect(nested.status).toBe(400)
  })
})

describe('the options of introspectKeys', () => {
  const post = (body: URLSearchParams) => new Request('https://a.example', { method: 'POST', body })
  const bodyOf = (token: string) => new URLSearchParams({ token })
  const create = ({ keys }: ReturnType<typeof testKeys>, fields: object) =>
    keys.createKey(keyInput({ ...fields }))

  test('restrictions: "by_caller" leaves to the caller what it says nothing about', async () => {
    const world = testKeys({ resources })
    const restricted = { resources: { project: ['p_1'] }, networks: ['198.51.100.0/24'] }
    const { secret } = await create(world, restricted)
    const introspect = introspectKeys(world.keys, {
      authorize: () => 'any',
      restrictions: 'by_caller',
    })
    const answerTo = async (more: object = {}) =>
      (await introspect(post(new URLSearchParams({ token: secret, ...more })))).json()
    expect(await answerTo()).toMatchObject({
      active: true,
      miftah_resources: { project: ['p_1'], team: 'all' },
      miftah_networks: ['198.51.100.0/24'],
    })
    expect(await answerTo({ miftah_resource: 'project:p_2' })).toEqual({ active: false })
    expect(await answerTo({ client_address: '203.0.113.1' })).toEqual({ active: false })
    const { active } = await answerTo({ client_address: '198.51.100.1' })
    expect(active).toBe(true)
  })

  test('a type of resource that this process does not define is refused for every caller', async () => {
    const storage = testKeys({ resources })
    const { secret } = await create(storage, { resources: { project: ['p_1'] } })
    const introspect = introspectKeys(storage.keys, { authorize: () => 'any' })
    expect(await (await introspect(post(bodyOf(secret)))).json()).toEqual({ active: false })
  })

  test('cacheableMs moves exp', async () => {
    const world = testKeys()
    const { secret } = await create(world, {})
    const introspect = introspectKeys(world.keys, { authorize: () => 'any', cacheableMs: 5_000 })
    const { exp } = await (await introspect(post(bodyOf(secret)))).json()
    expect(exp).toBe(NOW_S + 5)
  })

  test.each([
    undefined,
    true,
    'ws_1',
    {},
    { workspaceId: '' },
    { workspaceId: undefined },
    { workspaceId: 'ws_1', restrictions: 'by_caller' },
    Object.create({ workspaceId: 'ws_1' }),
  ])(
    'an answer of authorize that names no workspace is a mistake, never "any": %j',
    async (answer) => {
      const world = testKeys()
      const { secret } = await create(world, {})
      const errors: unknown[] = []
      const introspect = introspectKeys(world.keys, {
        authorize: () => answer as never,
        onError: (error) => errors.push(error),
      })
      expect((await introspect(post(bodyOf(secret)))).status).toBe(500)
      expect(errors).toEqual([expect.any(TypeError)])
    },
  )

  test.each([
    {},
    { authorize: null },
    { authorize: () => 'any', restrictions: 'by_host' },
    { authorize: () => 'any', cacheableMs: 999 },
    { authorize: () => 'any', cacheableMs: 3_600_001 },
    { authorize: () => 'any', cacheableMs: '60' },
    { authorize: () => 'any', metadata: 'tier' },
    { authorize: () => 'any', onError: true },
  ])('throws for %j', (options) => {
    expect(() => introspectKeys(testKeys().keys, options as never)).toThrow(/^introspectKeys: /)
  })

  test('a metadata entry that users write is never shown, whichever is mounted first', () => {
    const { keys } = testKeys()
    const authorize = () => 'any' as const
    const context = () => null
    manageKeys(keys, { context, metadata: ['note'] })
    introspectKeys(keys, { authorize, metadata: ['tier'] })
    expect(() => introspectKeys(keys, { authorize, metadata: ['note'] })).toThrow('"note"')
    const other = testKeys()
    introspectKeys(other.keys, { authorize, metadata: ['tier'] })
    expect(() => manageKeys(other.keys, { context, metadata: ['tier'] })).toThrow('"tier"')
  })

  test('keys that are closed are an outage', async () => {
    const world = testKeys()
    const { secret } = await create(world, {})
    await world.keys.close()
    const introspect = introspectKeys(world.keys, { authorize: () => 'any', onError: () => {} })
    expect((await introspect(post(bodyOf(secret)))).status).toBe(503)
  })

  test('an object that stands in for the keys decides by its own authenticate', async () => {
    const world = testKeys({ resources })
    const { secret } = await create(world, { resources: { project: ['p_1'] } })
    const seen: unknown[] = []
    const standIn = {
      ...world.keys,
      authenticate: (...args: Parameters<typeof world.keys.authenticate>) => {
        seen.push(args[0])
        return world.keys.authenticate(...args)
      },
    }
    const introspect = introspectKeys(standIn, { authorize: () => ({ workspaceId: 'ws_1' }) })
    const body = new URLSearchParams({ token: secret, miftah_resource: 'project:p_1' })
    expect(await (await introspect(post(body))).json()).toMatchObject({ active: true })
    const other = introspectKeys(standIn, { authorize: () => ({ workspaceId: 'ws_2' }) })
    expect(await (await other(post(body))).json()).toEqual({ active: false })
    expect(seen).toEqual([`Bearer ${secret}`, `Bearer ${secret}`])
  })
})
