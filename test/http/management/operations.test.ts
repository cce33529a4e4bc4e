import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answerSchemas } from '../../../adapters/http/lib/management/wire/answers.ts'
import { defaultCatalogue, plans } from '../../../src/index.ts'
import type { RunningHost } from '../../support/http/guard-hosts.ts'
import { hostForEach } from '../../support/http/host-for.ts'
import { type TestKeys, testKeys } from '../../support/http/keys.ts'
import {
  BASE,
  jsonOf,
  NEW_KEY,
  only,
  post,
  send,
  verdictOf,
} from '../../support/http/management-call.ts'
import { managementHosts } from '../../support/http/management-hosts.ts'
import type { RawResponse } from '../../support/http/raw-client.ts'

const schemas = answerSchemas(defaultCatalogue)

/** What every answer says, whatever it is. */
const SECURITY = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}

describe.each(managementHosts)('manageKeys in $name', ({ start }) => {
  let backend: TestKeys
  const host = hostForEach(() => {
    backend = testKeys()
    return start(backend.keys)
  })

  const create = async (fields: object = {}) =>
    jsonOf(await post(host.port, '/keys', { ...NEW_KEY, ...fields }))

  test('creates a key that works, and says its secret once', async () => {
    const response = await post(host.port, '/keys', { ...NEW_KEY, name: '  مزامنة العملاء ' })
    expect(response.status).toBe(201)
    const { key, secret } = schemas.IssuedKey.parse(jsonOf(response))
    expect(key).toMatchObject({ workspaceId: 'ws_1', name: 'مزامنة العملاء', status: 'active' })
    expect(key.creator).toEqual({ id: 'u_1', name: 'نورة' })
    expect(only(response, 'location')).toBe(`${BASE}/keys/${key.id}`)
    expect((await backend.keys.authenticate(`Bearer ${secret}`, 'contacts.read')).ok).toBe(true)
    const list = await send(host.port, { path: '/keys' })
    expect(list.body).not.toContain(secret)
  })

  test('rotates a key: the old secret stops, the new one works', async () => {
    const issued = await create()
    const response = await post(host.port, `/keys/${issued.key.id}/rotate`)
    expect(response.status).toBe(201)
    const { key, secret, replaced } = schemas.RotatedKey.parse(jsonOf(response))
    expect(key).toMatchObject({ name: 'CRM sync (rotated)', replaces: issued.key.id })
    expect(replaced).toMatchObject({ id: issued.key.id, status: 'revoked', replacedBy: key.id })
    expect(only(response, 'location')).toBe(`${BASE}/keys/${key.id}`)
    const verdicts = [issued.secret, secret].map((text) =>
      backend.keys.authenticate(`Bearer ${text}`, null),
    )
    expect((await Promise.all(verdicts)).map(({ ok }) => ok)).toEqual([false, true])
  })

  test('revokes a key, and revokes it again without a change', async () => {
    const issued = await create()
    const first = await post(host.port, `/keys/${issued.key.id}/revoke`)
    const again = await send(host.port, { method: 'POST', path: `/keys/${issued.key.id}/revoke` })
    expect([first.status, again.status]).toEqual([200, 200])
    const { key } = schemas.KeyAnswer.parse(jsonOf(first))
    expect(key.status).toBe('revoked')
    expect(again.body).toBe(first.body)
  })

  test('revokes a key for a reason, which the audit log has', async () => {
    const { key } = await create()
    const path = `/keys/${key.id}/revoke`
    for (const reason of ['stolen', 'reported', 'exposed']) {
      expect(verdictOf(await post(host.port, path, { reason }))).toBe('422 invalid_input')
      const step = await post(host.port, '/keys/revoke', { reason, ids: [key.id] })
      expect(verdictOf(step)).toBe('422 invalid_input')
    }
    expect((await post(host.port, path, { reason: 'unused' })).status).toBe(200)
    const { events } = await backend.keys.listEvents({ workspaceId: key.workspaceId, limit: 200 })
    expect(events.at(-1)).toMatchObject({ keyId: key.id, data: { reason: 'unused' } })
  })

  test('lists keys with the plan, filtered and in pages', async () => {
    const ids: string[] = []
    for (const environment of ['live', 'test', 'live']) {
      ids.unshift((await create({ environment })).key.id)
    }
    await post(host.port, `/keys/${ids[2]}/revoke`)
    backend.plans.set('ws_1', plans.business)
    const read = async (query: string) => {
      const response = await send(host.port, { path: `/keys${query}` })
      expect(response.status).toBe(200)
      return schemas.KeyList.parse(jsonOf(response))
    }
    const all = await read('')
    expect(all).toMatchObject({ activeKeys: 2, activeKeyLimit: 5, publicApi: true })
    expect(all.nextCursor).toBe(null)
    expect(all.keys.map(({ id }) => id)).toEqual(ids)
    expect((await read('?status=active')).keys.map(({ id }) => id)).toEqual(ids.slice(0, 2))
    expect((await read('?status=revoked&status=active')).keys.map(({ id }) => id)).toEqual(ids)
    const live = await read('?environment=live&status=revoked&limit=200')
    expect(live.keys.map(({ id }) => id)).toEqual([ids[2]])
    const page = await read('?limit=2')
    expect(page.keys.map(({ id }) => id)).toEqual(ids.slice(0, 2))
    expect((await read(`?limit=2&cursor=${page.nextCursor}`)).keys.map(({ id }) => id)).toEqual([
      ids[2],
    ])
  })

  test('lists the scopes with their labels', async () => {
    const response = await send(host.port, { path: '/scopes' })
    expect(response.status).toBe(200)
    const { groups } = schemas.Scopes.parse(jsonOf(response))
    expect(groups).toEqual(defaultCatalogue.groups)
  })

  test('answers HEAD like GET, without a body', async () => {
    for (const path of ['/keys', '/scopes']) {
      const response = await send(host.port, { method: 'HEAD', path })
      expect([response.status, response.body]).toEqual([200, ''])
      expect(only(response, 'content-type')).toBe('application/json')
    }
  })

  test('a plan without the API cannot create or rotate, but can list and revoke', async () => {
    const { key } = await create()
    backend.plans.set('ws_1', plans.none)
    expect(verdictOf(await post(host.port, '/keys', NEW_KEY))).toBe('403 plan_required')
    expect(verdictOf(await post(host.port, `/keys/${key.id}/rotate`))).toBe('403 plan_required')
    expect(jsonOf(await send(host.port, { path: '/keys' }))).toMatchObject({ publicApi: false })
    expect((await post(host.port, `/keys/${key.id}/revoke`)).status).toBe(200)
  })

  const nowhere = ['', '/', '/keys/', '/keys/key_1/', '/KEYS', '/keys/a/b/rotate', '/keys//rotate']

  test.each([...nowhere, '/keys/key_1/delete', '/scopes/x', '/.', '/keys%2Fx'])(
    'no route at "%s": 404',
    async (path) => {
      expect(verdictOf(await send(host.port, { path }))).toBe('404 not_found')
      expect(verdictOf(await post(host.port, path, NEW_KEY))).toBe('404 not_found')
    },
  )

  test.each([
    { method: 'PUT', path: '/keys', allow: 'GET, HEAD, POST' },
    { method: 'DELETE', path: '/keys', allow: 'GET, HEAD, POST' },
    { method: 'OPTIONS', path: '/keys', allow: 'GET, HEAD, POST' },
    { method: 'PATCH', path: '/keys/key_1/rotate', allow: 'POST' },
    { method: 'GET', path: '/keys/key_1/rotate', allow: 'POST' },
    { method: 'GET', path: '/keys/key_1/revoke', allow: 'POST' },
    { method: 'POST', path: '/scopes', allow: 'GET, HEAD' },
  ])('$method $path: 405 with Allow: $allow', async ({ method, path, allow }) => {
    const response = await send(host.port, { method, path })
    expect(verdictOf(response)).toBe('405 method_not_allowed')
    expect(only(response, 'allow')).toBe(allow)
    expect(response.lines.some(([name]) => name.startsWith('access-control'))).toBe(false)
  })

  test('an overridden method is not believed', async () => {
    const { key } = await create()
    const headers = ['X-HTTP-Method-Override: POST', 'X-Method-Override: POST']
    const path = `/keys/${key.id}/revoke`
    expect((await send(host.port, { method: 'GET', path, headers })).status).toBe(405)
  })
})

describe.each(managementHosts)('every answer of manageKeys in $name', ({ start }) => {
  const backend = testKeys()
  let host: RunningHost
  beforeAll(async () => {
    host = await start(backend.keys)
  })
  afterAll(() => host.close())

  const answers: readonly (readonly [
    title: string,
    ask: (port: number) => Promise<RawResponse>,
  ])[] = [
    ['200', (port) => send(port, { path: '/keys' })],
    ['201', (port) => post(port, '/keys', NEW_KEY)],
    ['400', (port) => send(port, { method: 'POST', path: '/keys' })],
    ['401', (port) => send(port, { path: '/keys', session: null })],
    ['403', (port) => send(port, { path: '/keys', method: 'POST', session: 'viewer' })],
    ['404', (port) => send(port, { path: '/nowhere' })],
    ['405', (port) => send(port, { path: '/keys', method: 'PUT' })],
    ['415', (port) => send(port, { path: '/keys', method: 'POST', headers: [] })],
    ['422', (port) => post(port, '/keys', {})],
    ['500', (port) => send(port, { path: '/keys', session: 'crash' })],
  ]

  test.each(answers)('%s carries the security headers', async (status, ask) => {
    const response = await ask(host.port)
    expect(String(response.status)).toBe(status)
    for (const [name, value] of Object.entries(SECURITY)) {
      expect([name, only(response, name)]).toEqual([name, value])
    }
    if (response.status < 400) {
      expect(only(response, 'content-type')).toBe('application/json')
      return
    }
    expect(only(response, 'content-type')).toBe('application/problem+json')
    const problem = schemas.Problem.parse(jsonOf(response))
    expect(problem.status).toBe(response.status)
  })
})
