import { beforeEach, describe, expect, test, vi } from 'vitest'
import { manageKeys } from '../../../adapters/http/fetch.ts'
import type { ChangeableField } from '../../../adapters/http/lib/management/call.ts'
import { KEY_OPERATIONS } from '../../../adapters/http/lib/management/wire/key-operations.ts'
import { OPERATIONS } from '../../../adapters/http/lib/management/wire/operations.ts'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { writeNotices } from '../../../src/events/index.ts'
import { defineResources, plans } from '../../../src/index.ts'
import { issueKey, USER } from '../../support/http/keys.ts'
import { NEW_KEY } from '../../support/http/management-call.ts'
import { openRoutes } from '../../support/http/routes.ts'
import { keyInput, withoutIds } from '../../support/world.ts'

/*
 * What the routes do for a session, without a server between. `openRoutes` checks each answer against
 * docs/openapi.json, and that every host answers alike is in hosts.test.ts.
 */

const UNKNOWN = 'key_000000000000000000000'
const HOUR_MS = 3_600_000
const inDays = (days: number) => new Date(Date.now() + days * 24 * HOUR_MS).toISOString()
const resources = defineResources([{ type: 'project', label: { en: 'Projects' } }])

const opened = (...given: Parameters<typeof openRoutes>) => {
  const routes = openRoutes(...given)
  const create = async (fields: object = {}, session = 'noura') =>
    (await routes.call('POST /keys', { body: { ...NEW_KEY, ...fields }, session })).json
  return { ...routes, create }
}

describe('a key', () => {
  test('is created, and answered as it is on the wire, with where it is', async () => {
    const { keys, call } = opened({ basePath: '/api/settings' })
    const body = { ...NEW_KEY, name: '  مزامنة العملاء ' }
    const made = await call('POST /api/settings/keys', { body })
    const { key, secret } = made.json
    expect([made.status, Object.keys(made.json)]).toEqual([201, ['key', 'secret']])
    expect(made.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      location: `/api/settings/keys/${key.id}`,
    })
    expect(key).toEqual({
      ...NEW_KEY,
      name: 'مزامنة العملاء',
      id: expect.stringMatching(/^key_/),
      workspaceId: 'ws_1',
      prefix: secret.slice(0, 12),
      creator: USER,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      ...{ lastUsedAt: null, uses: 0, status: 'active', version: 1, updatedAt: key.createdAt },
      ...{ expiresAt: null, pausedAt: null, pausedBy: null, retiresAt: null, revokedAt: null },
      ...{ replaces: null, replacedBy: null, format: null, note: null },
      ...{ resources: {}, networks: 'any', withinGrant: true },
    })
    expect((await keys.authenticate(`Bearer ${secret}`, 'contacts.read')).ok).toBe(true)
    const elsewhere = ['/keys', '/api/settings', '/api/settingskeys', '/api/Settings/keys']
    for (const path of [...elsewhere, '/x/api/settings/keys']) {
      expect((await call(`GET ${path}`)).status).toBe(404)
    }
  })

  test('is rotated, at once or with an overlap', async () => {
    const { call, create } = opened()
    const first = await create()
    const second = await call(`POST /keys/${first.key.id}/rotate`, { body: '' })
    const { key, replaced } = second.json
    expect(second.headers['location']).toBe(`/keys/${key.id}`)
    expect(key).toMatchObject({ name: 'CRM sync (rotated)', replaces: first.key.id })
    const ended = { status: 'revoked', replacedBy: key.id, revokedAt: key.createdAt }
    expect(replaced).toMatchObject({ id: first.key.id, ...ended })
    const body = { overlapSeconds: 3_600, expiresAt: inDays(30) }
    const third = (await call(`POST /keys/${key.id}/rotate`, { body })).json
    expect(third.key.expiresAt).toBe(body.expiresAt)
    expect(third.replaced).toMatchObject({ status: 'retiring', replacedBy: third.key.id })
    const again = await call(`POST /keys/${key.id}/rotate`)
    expect([again.verdict, again.json.replacedBy]).toEqual(['409 key_rotated', third.key.id])
  })

  test('is read, and changed by a merge patch at the version that it names', async () => {
    const { keys, call, patch, create } = opened({ metadata: ['team'] })
    const { key } = await create({ expiresAt: inDays(9), metadata: { team: 'sales' } })
    const read = await call(`GET /keys/${key.id}`)
    expect([read.headers['etag'], read.json.key]).toEqual(['"1"', key])
    const body = { name: 'ERP', expiresAt: null, metadata: { team: null } }
    const changed = await patch(key.id, body)
    expect(changed.headers['etag']).toBe('"2"')
    const { scopes } = key
    expect(changed.json.key).toMatchObject({ ...body, metadata: {}, scopes, version: 2 })
    const headers = { 'if-match': '"2"', 'content-type': 'application/merge-patch+json' }
    const merged = await patch(key.id, { scopes: ['flows.read'] }, 2, { headers, body: '{}' })
    expect(merged.status).toBe(200)
    const wrong = { name: null, scopes: [], expiresAt: '2026-02-30T00:00:00Z', environment: 'test' }
    const refused = await patch(key.id, wrong, 3)
    const issues = refused.json.issues as { path: string[]; code: string }[]
    expect(issues.map(({ path, code }) => `${path.join('.')}:${code}`).sort()).toEqual([
      'environment:unknown_field',
      'expiresAt:invalid_value',
      'name:invalid_type',
      'scopes:required',
    ])
    for (const metadata of [{ other: 'x' }, { __proto__x: 'x' }]) {
      expect((await patch(key.id, { metadata }, 3)).verdict).toBe('422 invalid_input')
    }
    expect((await keys.getKey({ workspaceId: 'ws_1', id: key.id })).version).toBe(2)
  })

  test('is paused, resumed and revoked, each again without a change', async () => {
    const { call, create } = opened()
    const { key } = await create()
    const change = (verb: string) => call(`POST /keys/${key.id}/${verb}`, { body: '' })
    const states = [
      ['pause', '"2"', { status: 'paused', pausedBy: USER }],
      ['resume', '"3"', { status: 'active', pausedBy: null }],
      ['revoke', undefined, { status: 'revoked' }],
    ] as const
    for (const [verb, etag, state] of states) {
      const changed = await change(verb)
      expect(changed.json.key).toMatchObject(state)
      expect(changed.headers['etag']).toBe(etag)
      expect((await change(verb)).json).toEqual(changed.json)
    }
    for (const verb of ['pause', 'resume', 'rotate']) {
      expect((await change(verb)).verdict).toBe('409 key_revoked')
    }
  })

  test('is revoked for a reason, alone or with others by filters, first as a dry run', async () => {
    const { keys, call, create } = opened()
    const [{ key }, other] = [await create(), await create()]
    await call(`POST /keys/${key.id}/revoke`, { body: { reason: 'unused' } })
    const { events } = await keys.listEvents({ workspaceId: 'ws_1', limit: 200 })
    expect(events.at(-1)).toMatchObject({ keyId: key.id, data: { reason: 'unused' } })
    const revoke = async (body: object) => (await call('POST /keys/revoke', { body })).json
    const dry = await revoke({ creatorId: USER.id, dryRun: true })
    expect(dry).toMatchObject({ revoked: 1, more: false, keys: [{ id: other.key.id }] })
    expect((await revoke({ creatorId: USER.id })).revoked).toBe(1)
    expect((await call(`GET /keys/${other.key.id}`)).json.key.status).toBe('revoked')
  })

  test('is listed with the plan, filtered and in pages', async () => {
    const { backend, call, create } = opened()
    const ids: string[] = []
    for (const environment of ['live', 'test', 'live']) {
      ids.unshift((await create({ environment })).key.id)
    }
    await call(`POST /keys/${ids[2]}/revoke`)
    backend.plans.set('ws_1', plans.business)
    const list = async (query: string) => (await call(`GET /keys${query}`)).json
    const found = async (query: string) =>
      (await list(query)).keys.map(({ id }: { id: string }) => id)
    expect(await list('')).toMatchObject({
      ...{ workspaceId: 'ws_1', activeKeys: 2, activeKeyLimit: 5, publicApi: true, total: 3 },
      ...{ nextCursor: null, maxLifetimeSeconds: null, maxOverlapSeconds: 604_800 },
    })
    expect(await found('')).toEqual(ids)
    expect(await found('?sort=createdAt')).toEqual([...ids].reverse())
    expect(await found('?status=active')).toEqual(ids.slice(0, 2))
    expect(await found('?status=revoked&status=active')).toEqual(ids)
    expect(await found('?environment=live&status=revoked&limit=200')).toEqual([ids[2]])
    expect(await found('?search=crm&scope=contacts.read')).toEqual(ids)
    expect(await found('?unusedForDays=1')).toEqual([])
    const page = await list('?limit=2')
    expect(await found(`?limit=2&cursor=${page.nextCursor}`)).toEqual([ids[2]])
  })

  test('needs a plan with the API, and room', async () => {
    const { backend, call, create } = opened()
    const { key } = await create()
    backend.plans.set('ws_1', plans.none)
    expect((await call('POST /keys', { body: NEW_KEY })).verdict).toBe('403 plan_required')
    expect((await call(`POST /keys/${key.id}/rotate`)).verdict).toBe('403 plan_required')
    expect((await call('GET /keys')).json.publicApi).toBe(false)
    backend.plans.set('ws_1', { publicApi: true, activeKeyLimit: 1 })
    const full = await call('POST /keys', { body: NEW_KEY })
    expect(full.verdict).toBe('409 active_key_limit_reached')
    expect(full.json).toMatchObject({ activeKeys: 1, activeKeyLimit: 1 })
    expect((await call(`POST /keys/${key.id}/revoke`)).status).toBe(200)
  })
})

describe('the session', () => {
  /** Every change as a call on the key `id`, with a body that would be accepted. */
  const change = (name: string, id: string) => {
    const { method, path } = OPERATIONS[name as keyof typeof OPERATIONS]
    const bodies: Record<string, object> = {
      createKey: NEW_KEY,
      updateKey: { name: 'Renamed' },
      revokeKeys: { ids: [id] },
    }
    const headers = { 'if-match': '"1"' }
    return [`${method} ${path.replace('{id}', id)}`, { body: bodies[name] ?? {}, headers }] as const
  }

  test('the operations that can be allowed are those that change something', () => {
    const changing = Object.entries(OPERATIONS).filter(([, { method }]) => method !== 'GET')
    expect([...KEY_OPERATIONS].sort()).toEqual(changing.map(([name]) => name).sort())
  })

  test.each(KEY_OPERATIONS)('%s is for its workspace, and where it is allowed', async (name) => {
    const { backend, call } = opened()
    const { id } = (await issueKey(backend)).key
    const { events } = backend
    events.length = 0
    const [target, given] = change(name, id)
    const refused = await call(target, { ...given, session: 'reader' })
    expect(refused.verdict).toBe('403 operation_not_allowed')
    expect((await call(...change(name, UNKNOWN))).json).not.toEqual(refused.json)
    const other = await call(target, { ...given, session: 'omar' })
    if (target.includes(id)) expect(other.verdict).toBe('404 key_not_found')
    else expect(other.json).not.toMatchObject({ revoked: 1 })
    expect(events.every(({ type }) => type === 'api_key.created')).toBe(true)
    expect((await call(target, given)).status).toBe(
      name.startsWith('c') || name.startsWith('ro') ? 201 : 200,
    )
  })

  test('the list says what the user may do and give', async () => {
    const { call } = opened()
    const said = async (session: string) => (await call('GET /keys', { session })).json
    expect((await said('noura')).allowedOperations).toEqual(KEY_OPERATIONS)
    expect((await said('auditor')).allowedOperations).toEqual(['pauseKey', 'revokeKey'])
    expect((await said('reader')).allowedOperations).toEqual([])
    expect((await said('noura')).grantable).toBe(null)
    expect((await said('junior')).grantable).toMatchObject({ scopes: ['contacts.read'] })
  })

  test.each([
    ['nameless', 'u_5'],
    ['null-name', 'u_5'],
    ['two-lines', 'Noura of sales'],
    ['half-emoji', 'Noura \uFFFD'],
    ['only-control', 'u_5'],
    ['long-name', `${'🗝'.repeat(254)}`],
    ['classy', 'Classy'],
  ])('of the user "%s" is called %s, and can revoke', async (session, name) => {
    const { keys, call, create } = opened()
    const { key } = await create({}, session)
    expect(key.creator.name).toBe(name)
    expect((await call(`POST /keys/${key.id}/revoke`, { session })).status).toBe(200)
    const { events } = await keys.listEvents({ workspaceId: 'ws_1' })
    expect(events.at(-1)).toMatchObject({ type: 'api_key.revoked', actor: { name } })
  })

  test('is what the host knows: an API key, headers and the query name no one', async () => {
    const { backend, call } = opened()
    const { secret } = await issueKey(backend)
    const headers = {
      ...{ authorization: `Bearer ${secret}`, 'x-api-key': secret },
      ...{ 'x-workspace-id': 'ws_2', 'x-user-id': 'u_2', 'x-forwarded-user': 'omar' },
    }
    for (const target of ['GET /keys', 'POST /keys', `GET /keys/${UNKNOWN}`]) {
      const answer = await call(target, { headers, session: null })
      expect(answer.verdict).toBe('401 unauthenticated')
    }
    expect(backend.lookups).toBe(0)
    const { json } = await call('POST /keys', { headers, body: NEW_KEY })
    expect(json.key).toMatchObject({ workspaceId: 'ws_1', creator: USER })
  })
})

describe('a context that asks for the fields of an update', () => {
  /** A host that lets members rename, and nothing else. */
  function membersRename() {
    const asked: (readonly ChangeableField[])[] = []
    const routes = openRoutes({
      context: async (_request, operation, detail) => {
        const fields = await detail.fields()
        asked.push(fields)
        const renames = operation !== 'updateKey' || fields.every((field) => field === 'name')
        return renames ? { workspaceId: 'ws_1', user: USER } : 'forbidden'
      },
    })
    return { asked, ...routes }
  }

  test('gets their names, none of a body that is refused, and none of other operations', async () => {
    const { patch, call, asked } = membersRename()
    expect((await patch(UNKNOWN, { name: 'x' })).status).toBe(404)
    expect((await patch(UNKNOWN, { name: 'x', scopes: [] })).status).toBe(403)
    expect((await patch(UNKNOWN, { other: 1 })).status).toBe(422)
    expect((await patch(UNKNOWN, '{')).status).toBe(400)
    expect((await call('POST /keys', { body: { name: 'x' } })).status).toBe(422)
    expect(asked).toEqual([['name'], ['name', 'scopes'], [], [], []])
  })

  test.each(['POST /keys', 'PATCH /keys/key_x'])(
    'reads the body of a %s only for itself',
    async (target) => {
      const { keys } = openRoutes()
      const handler = manageKeys(keys, { context: () => null })
      const pull = vi.fn()
      const body = new ReadableStream({ pull }, { highWaterMark: 0 })
      const headers = { 'content-type': 'application/json', 'if-match': '"1"' }
      const [method = '', path] = target.split(' ')
      const init = { method, headers, body, duplex: 'half' } as RequestInit
      expect((await handler(new Request(`https://a.example${path}`, init))).status).toBe(401)
      expect(pull).not.toHaveBeenCalled()
    },
  )
})

describe('a ceiling', () => {
  let id: string
  let routes: ReturnType<typeof opened>
  beforeEach(async () => {
    routes = opened({}, { resources })
    id = (await issueKey(routes.backend, 'contacts.write')).key.id
  })

  test('refuses what makes a key live or widens it beyond, and says what is missing', async () => {
    const { call, patch } = routes
    const junior = { session: 'junior' }
    const as = async (target: string, body: unknown = {}) => call(target, { body, ...junior })
    const scopes = ['contacts.read', 'contacts.write']
    const created = await as('POST /keys', { ...NEW_KEY, scopes })
    expect(created.verdict).toBe('403 not_grantable')
    expect(created.json.missing).toEqual({ scopes: ['contacts.write'] })
    expect((await as(`POST /keys/${id}/rotate`)).verdict).toBe('403 not_grantable')
    expect((await patch(id, { scopes }, 1, junior)).verdict).toBe('403 not_grantable')
    const paused = await as(`POST /keys/${id}/pause`)
    expect(paused.json.key).toMatchObject({ status: 'paused', withinGrant: false })
    expect((await as(`POST /keys/${id}/resume`)).verdict).toBe('403 not_grantable')
    expect((await patch(id, { name: 'Renamed' }, 2, junior)).status).toBe(200)
    expect((await as(`POST /keys/${id}/revoke`)).status).toBe(200)
    expect((await as('POST /keys', NEW_KEY)).status).toBe(201)
    const { json } = await call('GET /keys?sort=createdAt', junior)
    expect(json.keys.map(({ withinGrant }: never) => withinGrant)).toEqual([false, true])
    expect(routes.errors).toEqual([])
  })

  test('an empty list of resources is none, never all, on every way', async () => {
    const { call, patch, create } = routes
    const { key } = await create({ resources: { project: [] } })
    const steps = [
      [{}, 1, 200, []],
      [null, 1, 422, []],
      [{ project: null }, 1, 422, []],
      [{ project: ['p_1'] }, 1, 200, ['p_1']],
      [{ project: [] }, 2, 200, []],
    ] as const
    for (const [given, version, status, project] of steps) {
      const answer = await patch(key.id, { resources: given }, version)
      const read = (await call(`GET /keys/${key.id}`)).json.key.resources
      expect([answer.status, read]).toEqual([status, { project }])
    }
    const rotated = (await call(`POST /keys/${key.id}/rotate`)).json
    expect(rotated.key.resources).toEqual({ project: [] })
    expect((await create()).key.resources).toEqual({ project: 'all' })
  })

  test('of one’s own keys hides all others', async () => {
    const { call, create, patch } = routes
    const as = (target: string, body?: unknown) =>
      call(target, { session: 'loner', ...(body !== undefined && { body }) })
    for (const path of ['', '/events', '/usage?from=x']) {
      expect((await as(`GET /keys/${id}${path}`)).verdict).toBe('404 key_not_found')
    }
    for (const verb of ['pause', 'resume', 'rotate', 'revoke']) {
      expect((await as(`POST /keys/${id}/${verb}`)).verdict).toBe('404 key_not_found')
    }
    const update = await patch(id, { name: 'x' }, 1, { session: 'loner' })
    expect(update.verdict).toBe('404 key_not_found')
    const own = (await create({}, 'loner')).key.id
    const found = async (query: string) =>
      (await as(`GET /keys${query}`)).json.keys.map((key: { id: string }) => key.id)
    expect(await found('')).toEqual([own])
    expect(await found(`?creatorId=${USER.id}`)).toEqual([])
    expect((await as('GET /usage?from=x')).verdict).toBe('403 forbidden')
    expect((await as('POST /keys/revoke', { creatorId: USER.id })).json.revoked).toBe(0)
    expect((await as('POST /keys/revoke', { environment: 'live' })).json.revoked).toBe(1)
    expect((await call(`GET /keys/${id}`)).json.key.status).toBe('active')
  })
})

test('resources are named by the host, for its session alone', async () => {
  const projects = [
    { id: 'p_1', name: 'Website' },
    { id: 'p_2', name: 'Shop' },
  ]
  const search = vi.fn((_session: unknown, text: string) => {
    const found = projects.filter(({ name }) => name.includes(text))
    return { resources: found, nextCursor: text === '' ? 'p_2' : null }
  })
  const name = vi.fn((_session: unknown, _ids: readonly string[]) => projects)
  const source = { search, name }
  const { call, create } = opened({ resources: { project: source } }, { resources })
  const read = async (path: string) => (await call(`GET ${path}`)).json
  expect(await read('/resources/project')).toEqual({ resources: projects, nextCursor: 'p_2' })
  const member = { workspaceId: 'ws_1', user: USER, allowedOperations: KEY_OPERATIONS }
  expect(search.mock.calls).toEqual([[member, '', null]])
  await call('GET /resources/project?search=a&cursor=b', { session: 'loner' })
  expect(search).toHaveBeenLastCalledWith(expect.objectContaining({ visible: 'own' }), 'a', 'b')
  await call('GET /resources/project', { session: 'junior' })
  const granted = { grantable: { scopes: ['contacts.read'] } }
  expect(search.mock.lastCall?.[0]).toMatchObject(granted)
  await read(`/resources/project?${Array.from({ length: 101 }, (_, at) => `id=p_${at}`).join('&')}`)
  expect(name.mock.lastCall?.[1]).toHaveLength(100)
  expect((await read('/resources/project?search=Shop')).resources).toEqual([projects[1]])
  expect((await read('/resources/project?id=p_1&id=p_9')).resources).toEqual([projects[0]])
  expect((await call('GET /resources/team')).verdict).toBe('404 not_found')
  const type = { type: 'project', label: { en: 'Projects' }, isNamed: true }
  expect((await read('/scopes')).resources).toEqual([type])
  const { key } = await create({ resources: { project: ['p_1'] } })
  await create({ resources: { project: ['p_2'] } })
  const reach = (await read('/keys?resource=project:p_1')).keys
  expect(reach.map(({ id }: { id: string }) => id)).toEqual([key.id])
  expect((await call('GET /keys?resource=p_1')).verdict).toBe('422 invalid_input')
})

describe('usage', () => {
  const range = () => {
    const [from, to] = [-2 * HOUR_MS, 60_000].map((ms) => new Date(Date.now() + ms).toISOString())
    return `?${new URLSearchParams({ from: `${from}`, to: `${to}` })}`
  }

  test('of a key and of all keys, by hour', async () => {
    const { backend, keys, call } = opened()
    const used = async () => {
      const { key, secret } = await issueKey(backend)
      const [read, write] = [null, 'webhooks.write'] as const
      for (const scope of [read, read, write, write, write]) {
        await keys.authenticate(`Bearer ${secret}`, scope)
      }
      return key.id
    }
    const [id] = [await used(), await used()]
    await keys.flush()
    const sums = async (path: string) => {
      const { buckets } = (await call(`GET ${path}${range()}`)).json
      expect(buckets[0].startsAt).toMatch(/:00:00\.000Z$/)
      const sum = (count: (bucket: { accepted: number; denied: object }) => number) =>
        buckets.map(count).reduce((a: number, b: number) => a + b)
      return [
        sum(({ accepted }) => accepted),
        sum(({ denied }) => Reflect.get(denied, 'insufficient_scope')),
      ]
    }
    expect(await sums(`/keys/${id}/usage`)).toEqual([2, 3])
    expect(await sums('/usage')).toEqual([4, 6])
    const strange = await call(`GET /keys/%00/usage${range()}`)
    expect(strange.verdict).toBe('404 key_not_found')
  })

  test('is not there on a host without a history', async () => {
    const { call } = opened({}, { usageHistory: false })
    expect((await call(`GET /usage${range()}`)).verdict).toBe('404 usage_not_kept')
  })
})

describe('the history of a key', () => {
  /** A key that was changed, paused, resumed, rotated and, as the replaced key, revoked. */
  async function livedKey(given: Parameters<typeof openRoutes>[0] = {}) {
    const routes = opened(given)
    const { keys, call } = routes
    const { key } = await issueKey(routes.backend)
    const own = { workspaceId: 'ws_1', id: key.id, actor: { id: 'u_2', name: 'Omar' } }
    const change = { name: 'ERP sync', metadata: { team: 'web', note: 'canary-hidden' } }
    await keys.updateKey({ ...own, version: 1, change })
    await keys.pauseKey(own)
    await keys.resumeKey(own)
    const rotated = await keys.rotateKey({ ...own, overlapSeconds: 3_600 })
    await keys.revokeKey({ ...own, reason: 'leaked' })
    const read = async (id: string, query = '') =>
      (await call(`GET /keys/${id}/events${query}`)).json
    return { ...routes, id: key.id, replacement: rotated.key.id, read }
  }

  test('is what happened to it, by whom, the newest first', async () => {
    const { id, replacement, read } = await livedKey()
    const { events, nextCursor } = await read(id)
    expect(nextCursor).toBe(null)
    expect(events.map(({ type, actor }: never) => [type, Reflect.get(actor, 'name')])).toEqual([
      ['api_key.revoked', 'Omar'],
      ['api_key.rotated', 'Omar'],
      ['api_key.resumed', 'Omar'],
      ['api_key.paused', 'Omar'],
      ['api_key.updated', 'Omar'],
      ['api_key.created', USER.name],
    ])
    expect(events[0].data).toMatchObject({ reason: 'leaked', endedOverlap: true })
    expect(events[1].data).toMatchObject({ replacementId: replacement })
    const names = { before: { name: 'CRM sync' }, after: { name: 'ERP sync' } }
    expect(events[4].data).toMatchObject(names)
    expect(withoutIds(JSON.stringify(events))).not.toMatch(/canary|team|note/)
  })

  test('of a replacement ends with the rotation that it came from', async () => {
    const { keys, id, replacement, read } = await livedKey()
    await keys.pauseKey({ workspaceId: 'ws_1', id: replacement, actor: USER })
    expect((await read(replacement)).events).toMatchObject([
      { type: 'api_key.paused', keyId: replacement },
      { type: 'api_key.rotated', keyId: id },
    ])
  })

  test.each([1, 2, 3, 6])(
    'comes in pages of %i, each event once and no page empty',
    async (limit) => {
      const { id, read } = await livedKey()
      const whole = (await read(id)).events
      const seen: unknown[] = []
      for (let [pages, query] = [1, `?limit=${limit}`]; ; pages += 1) {
        const { events, nextCursor } = await read(id, query)
        expect(events.length).toBeLessThanOrEqual(limit)
        seen.push(...events)
        query = `?limit=${limit}&cursor=${nextCursor}`
        if (nextCursor !== null) continue
        expect(pages).toBe(Math.ceil(whole.length / limit))
        break
      }
      expect(seen).toEqual(whole)
    },
  )

  test('names the metadata that is shown, and takes no cursor of another workspace', async () => {
    const { keys, id, read, call } = await livedKey({ metadata: ['team'] })
    const update = (await read(id)).events[4]
    expect(update.data.after).toMatchObject({ name: 'ERP sync', metadata: ['team'] })
    expect(withoutIds(JSON.stringify(update))).not.toContain('note')
    await keys.createKey(keyInput({ workspaceId: 'ws_2' }))
    const { nextCursor } = await keys.listEvents({ workspaceId: 'ws_2' })
    const foreign = await call(`GET /keys/${id}/events?cursor=${nextCursor}`)
    expect(foreign.verdict).toBe('422 invalid_input')
  })

  test('has every kind of event', async () => {
    let now = Date.now()
    const storage = memoryStorage()
    const { backend, keys, call } = opened({}, { storage, now: () => new Date(now) })
    const day = 24 * HOUR_MS
    const expiresAt = new Date(now + 8 * day)
    const { key } = await keys.createKey(keyInput({ name: 'Short', expiresAt }))
    const { replaced } = await keys.rotateKey({
      ...{ workspaceId: 'ws_1', id: (await issueKey(backend)).key.id, actor: USER },
      overlapSeconds: 3_600,
    })
    const notices = writeNotices({ storage, now: () => new Date(now), pollMs: 1 })
    const typesOf = async (id: string) =>
      (await call(`GET /keys/${id}/events`)).json.events.map(({ type }: { type: string }) =>
        type.slice('api_key.'.length),
      )
    now += 2 * day
    await expect.poll(() => typesOf(replaced.id)).toEqual(['retired', 'rotated', 'created'])
    await expect.poll(() => typesOf(key.id)).toEqual(['expiring', 'created'])
    now += 10 * day
    await expect.poll(() => typesOf(key.id)).toContain('expired')
    await notices.stop()
  })
})
