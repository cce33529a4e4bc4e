import { beforeEach, describe, expect, test, vi } from 'vitest'
import { introspectKeys, manageKeys } from '../../../adapters/http/fetch.ts'
import { defineResources, OutageError } from '../../../src/index.ts'
import { mintSecret } from '../../../src/secret/mint.ts'
import { postForm } from '../../support/http/forms.ts'
import { testKeys, USER } from '../../support/http/keys.ts'
import { keyInput } from '../../support/world.ts'

/* Introspection without a server between. Forms and their types stand in hosts.txt, for every host. */

const resources = defineResources([
  { type: 'project', label: { en: 'Projects' } },
  { type: 'team', label: { en: 'Teams' } },
])

const NOW_S = Date.UTC(2026, 5, 15, 12) / 1_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW_S * 1_000 })
  return () => vi.useRealTimers()
})

type Options = Partial<Parameters<typeof introspectKeys>[1]>

/** An endpoint that knows `Bearer rs-any` and one resource server for each workspace. */
function opened(options: Options = {}, setup: Parameters<typeof testKeys>[0] = {}) {
  const world = testKeys({ resources, now: () => new Date(), ...setup })
  const errors: unknown[] = []
  const endpoint = introspectKeys(world.keys, {
    authorize: (request) => {
      const credential = request.headers.get('authorization')
      if (credential === 'Bearer rs-any') return 'any'
      if (credential === 'Bearer rs-throws') throw new Error('the directory is gone')
      const [, workspaceId] = /^Bearer rs-(ws_\d)$/.exec(credential ?? '') ?? []
      return workspaceId === undefined ? null : { workspaceId }
    },
    onError: (error) => errors.push(error),
    ...options,
  })
  const create = (fields: Parameters<typeof keyInput>[0] = {}) =>
    world.keys.createKey(keyInput({ scopes: ['messages.send', 'contacts.read'], ...fields }))
  const introspect = (token: string, more: object = {}, as = 'Bearer rs-any') =>
    postForm(endpoint, { token, ...more }, { authorization: as })
  const read = async (...args: Parameters<typeof introspect>) =>
    JSON.parse((await introspect(...args)).text)
  return { world, errors, endpoint, create, introspect, read }
}

test('an active key: the members that libraries look for', async () => {
  const { create, introspect } = opened({ metadata: ['tier', 'absent'] })
  const { key, secret } = await create({ metadata: { tier: 'gold', note: 'private' } })
  const answer = await introspect(secret)
  expect(answer.verdict).toBe('200')
  expect(answer.headers.get('content-type')).toBe('application/json')
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(JSON.parse(answer.text)).toEqual({
    ...{ active: true, scope: 'messages.send contacts.read', token_type: 'Bearer' },
    ...{ client_id: key.id, sub: 'ws_1', username: 'ws_1', iat: NOW_S, exp: NOW_S + 60 },
    ...{ miftah_environment: 'live', miftah_resources: { project: 'all', team: 'all' } },
    miftah_metadata: { tier: 'gold' },
  })
})

test('exp is never after the expiry, nor after the end of an overlap', async () => {
  const { world, create, read } = opened()
  const { key, secret } = await create({ expiresAt: new Date((NOW_S + 90) * 1_000) })
  vi.setSystemTime((NOW_S + 40) * 1_000)
  expect((await read(secret)).exp).toBe(NOW_S + 90)
  const action = { workspaceId: 'ws_1', id: key.id, actor: USER }
  await world.keys.rotateKey({ ...action, overlapSeconds: 5 })
  expect((await read(secret)).exp).toBe(NOW_S + 45)
})

test('every inactive token gets the same bytes', async () => {
  const { world, errors, create, introspect } = opened()
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
  const empty = await create({ resources: { project: [] } })
  const project = (...ids: string[]) => ({ miftah_resource: ids.map((id) => `project:${id}`) })
  const minted = mintSecret('svc', 'live')
  const tokens: readonly (readonly [token: string, more?: object, as?: string])[] = [
    ...[minted, `${minted.slice(0, -1)}${minted.endsWith('a') ? 'b' : 'a'}`, 'nonsense', 'مفتاح'],
    ...[`${revoked.secret} `, `Bearer ${bound.secret}`, 'x'.repeat(60_000), revoked.secret],
    ...[paused.secret, replaced.secret, unpaid.secret, bound.secret, near.secret, empty.secret],
  ].map((token) => [token] as const)
  const answers = []
  const asked = [
    ...tokens,
    [other.secret, {}, 'Bearer rs-ws_1'] as const,
    [bound.secret, project('p_2')] as const,
    [bound.secret, project('p_1', 'p_2')] as const,
    [bound.secret, { miftah_resource: 'team:p_1' }] as const,
    [empty.secret, project('p_1')] as const,
    [near.secret, { client_address: '203.0.113.1' }] as const,
    [near.secret, { client_address: 'localhost' }] as const,
  ]
  for (const given of asked) answers.push((await introspect(...given)).bytes)
  vi.setSystemTime(expiresAt.getTime() + 1)
  answers.push((await introspect(expired.secret)).bytes)
  expect([...new Set(answers)]).toEqual([expect.stringMatching(/^\[200,.*\{\\"active\\":false\}"/)])
  expect(errors).toEqual([])
})

test('a restricted key is active for what it reaches', async () => {
  const { create, read } = opened()
  const reach = { project: ['a:b', 'p_1'], team: ['t_1'] }
  const { secret } = await create({ resources: reach, networks: ['198.51.100.0/24'] })
  const projects = ['project:p_1', 'project:a:b']
  const all = { miftah_resource: [...projects, 'team:t_1'], client_address: '198.51.100.7' }
  expect(await read(secret, all)).toMatchObject({ active: true, miftah_resources: reach })
  expect((await read(secret, { ...all, miftah_resource: projects })).active).toBe(false)
  expect((await read(secret, { ...all, client_address: undefined })).active).toBe(false)
})

test('a use is counted, and other workspaces count nothing', async () => {
  const { world, create, read } = opened()
  const { key, secret } = await create()
  for (let at = 0; at < 3; at += 1) expect((await read(secret)).active).toBe(true)
  expect((await read(secret, {}, 'Bearer rs-ws_1')).active).toBe(true)
  expect((await read(secret, {}, 'Bearer rs-ws_2')).active).toBe(false)
  await world.keys.flush()
  expect((await world.keys.getKey({ workspaceId: 'ws_1', id: key.id })).uses).toBe(4)
})

describe('refuses', () => {
  test.each([
    undefined,
    true,
    'ws_1',
    {},
    { workspaceId: '' },
    { workspaceId: undefined },
    { workspaceId: 'ws_1', restrictions: 'by_caller' },
    Object.create({ workspaceId: 'ws_1' }),
  ])('everybody while authorize answers %j, which names no workspace', async (access) => {
    const { errors, create, introspect } = opened({ authorize: () => access as never })
    expect((await introspect((await create()).secret)).verdict).toBe('500 server_error')
    expect(errors).toEqual([expect.any(TypeError)])
  })

  test('everybody while authorize fails, and reports it', async () => {
    const { errors, introspect } = opened()
    expect((await introspect('x', {}, 'Bearer rs-throws')).verdict).toBe('500 server_error')
    expect(errors).toEqual([new Error('the directory is gone')])
  })

  test.each([
    [1_000, '200'],
    [1_001, '400 invalid_request'],
  ])('%i resources of a form: %s', async (count, verdict) => {
    const { endpoint } = opened()
    const form = `token=a${'&miftah_resource=project:p'.repeat(count)}`
    const answer = await postForm(endpoint, form, { authorization: 'Bearer rs-any' })
    expect(answer.verdict).toBe(verdict)
  })
})

test('an outage is 503, never inactive, and so are keys that are closed', async () => {
  const { world, errors, create, introspect } = opened()
  const { secret } = await create()
  world.outage = true
  const answer = await introspect(secret)
  expect(answer.verdict).toBe('503 temporarily_unavailable')
  expect(answer.headers.get('retry-after')).toBe('1')
  expect(errors).toEqual([expect.any(OutageError)])
  world.outage = false
  await world.keys.close()
  expect((await introspect(secret)).verdict).toBe('503 temporarily_unavailable')
})

describe('the options of introspectKeys', () => {
  test('restrictions: "by_caller" leaves to the caller what it says nothing about', async () => {
    const { create, read } = opened({ restrictions: 'by_caller' })
    const networks = ['198.51.100.0/24']
    const { secret } = await create({ resources: { project: ['p_1'] }, networks })
    const miftah_resources = { project: ['p_1'], team: 'all' }
    const all = { active: true, miftah_resources, miftah_networks: networks }
    expect(await read(secret)).toMatchObject(all)
    expect(await read(secret, { miftah_resource: 'project:p_2' })).toEqual({ active: false })
    expect(await read(secret, { client_address: '203.0.113.1' })).toEqual({ active: false })
    expect((await read(secret, { client_address: '198.51.100.1' })).active).toBe(true)
  })

  test('cacheableMs moves exp', async () => {
    const { create, read } = opened({ cacheableMs: 5_000 })
    expect((await read((await create()).secret)).exp).toBe(NOW_S + 5)
  })

  const authorize = () => 'any' as const
  test.each([
    [{}, 'option "authorize" must be a function.'],
    [{ authorize: null }, 'option "authorize" must be a function.'],
    [{ authorize, restrictions: 'by_host' }, 'option "restrictions" must be "by_caller".'],
    [{ authorize, cacheableMs: 999 }, /"cacheableMs" must be 1000 to 3600000 milli/],
    [{ authorize, cacheableMs: 3_600_001 }, /"cacheableMs"/],
    [{ authorize, cacheableMs: '60' }, /"cacheableMs"/],
    [{ authorize, metadata: 'tier' }, 'option "metadata" must be a list of names.'],
    [{ authorize, onError: true }, 'option "onError" must be a function.'],
  ])('throws for %j', (options, message) => {
    expect(() => introspectKeys(testKeys().keys, options as never)).toThrow(message)
  })

  test('a metadata entry that users write is never shown, whichever is mounted first', () => {
    const { keys } = testKeys()
    const context = () => null
    manageKeys(keys, { context, metadata: ['note'] })
    introspectKeys(keys, { authorize, metadata: ['tier'] })
    expect(() => introspectKeys(keys, { authorize, metadata: ['note'] })).toThrow('"note"')
    const other = testKeys()
    introspectKeys(other.keys, { authorize, metadata: ['tier'] })
    expect(() => manageKeys(other.keys, { context, metadata: ['tier'] })).toThrow('"tier"')
  })
})
