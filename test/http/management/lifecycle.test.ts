import { describe, expect, test, vi } from 'vitest'
import { createManagementClient } from '../../../adapters/client/index.ts'
import { manageKeys } from '../../../adapters/http/fetch.ts'
import type { ChangeableField } from '../../../adapters/http/lib/management/call.ts'
import { answerSchemas } from '../../../adapters/http/lib/management/wire/answers.ts'
import { defaultCatalogue } from '../../../src/index.ts'
import { hostForEach } from '../../support/http/host-for.ts'
import { type TestKeys, testKeys } from '../../support/http/keys.ts'
import {
  JSON_TYPE,
  jsonOf,
  NEW_KEY,
  only,
  post,
  send,
  verdictOf,
} from '../../support/http/management-call.ts'
import { managementHosts } from '../../support/http/management-hosts.ts'

const schemas = answerSchemas(defaultCatalogue)
const PATCH_TYPE = 'Content-Type: application/merge-patch+json'
const DAY_MS = 86_400_000

/** RFC 3339 text for an instant so many days ahead. */
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()

describe.each(managementHosts)('the life of a key in $name', ({ start }) => {
  let backend: TestKeys
  const host = hostForEach(() => {
    backend = testKeys()
    return start(backend.keys, { metadata: ['team'] })
  })

  const create = async (fields: object = {}) =>
    jsonOf(await post(host.port, '/keys', { ...NEW_KEY, ...fields }))
  const patch = (id: string, body: unknown, headers: readonly string[] = ['If-Match: "1"']) =>
    send(host.port, {
      method: 'PATCH',
      path: `/keys/${id}`,
      body,
      headers: [PATCH_TYPE, ...headers],
    })

  test('a key is read with its version as the ETag', async () => {
    const { key } = await create()
    const response = await send(host.port, { path: `/keys/${key.id}` })
    expect([response.status, only(response, 'etag')]).toEqual([200, '"1"'])
    expect(schemas.KeyAnswer.parse(jsonOf(response)).key).toEqual(key)
    const foreign = await send(host.port, { path: `/keys/${key.id}`, session: 'layla' })
    expect([401, 403, 404]).toContain(foreign.status)
  })

  test('a merge patch changes what it names, at the version it names', async () => {
    const { key } = await create({ expiresAt: inDays(9), metadata: { team: 'sales' } })
    const response = await patch(key.id, { name: 'ERP', expiresAt: null, metadata: { team: null } })
    expect([response.status, only(response, 'etag')]).toEqual([200, '"2"'])
    const changed = schemas.KeyAnswer.parse(jsonOf(response)).key
    expect(changed).toMatchObject({ name: 'ERP', expiresAt: null, metadata: {}, version: 2 })
    expect(changed.scopes).toEqual(key.scopes)
    const json = await send(host.port, {
      ...{ method: 'PATCH', path: `/keys/${key.id}`, body: { scopes: ['flows.read'] } },
      headers: [JSON_TYPE, 'If-Match: "2"'],
    })
    expect(jsonOf(json).key.scopes).toEqual(['flows.read'])
  })

  test('If-Match decides', async () => {
    const { key } = await create()
    await patch(key.id, { name: 'Second' })
    const cases = [
      [[], '428 precondition_required'],
      [['If-Match: "1"'], '412 stale'],
      [['If-Match: W/"2"'], '412 stale'],
      [['If-Match: "x"'], '412 stale'],
      [['If-Match: "9007199254740992"'], '412 stale'],
      [['If-Match: "9999999999999999"'], '412 stale'],
      [['If-Match: *'], '422 invalid_input'],
      [['If-Match: 2'], '422 invalid_input'],
      [['If-Match: "2","3"'], '422 invalid_input'],
      [['If-Match: "2"', 'If-Match: "2"'], '422 invalid_input'],
    ] as const
    for (const [headers, verdict] of cases) {
      expect(verdictOf(await patch(key.id, { name: 'x' }, headers)), headers.join()).toBe(verdict)
    }
    const stale = await patch(key.id, { name: 'x' })
    expect(only(stale, 'etag')).toBe('"2"')
    expect(schemas.Key.parse(jsonOf(stale).key)).toMatchObject({ name: 'Second', version: 2 })
  })

  test('other media types are refused with Accept-Patch', async () => {
    const { key } = await create()
    const response = await send(host.port, {
      ...{ method: 'PATCH', path: `/keys/${key.id}`, body: '{}' },
      headers: ['Content-Type: text/plain', 'If-Match: "1"'],
    })
    expect(verdictOf(response)).toBe('415 unsupported_media_type')
    expect(only(response, 'accept-patch')).toBe('application/merge-patch+json, application/json')
  })

  test('bad changes are refused by name, without the core’s word for the body', async () => {
    const { key } = await create()
    const body = { name: null, scopes: [], expiresAt: '2026-02-30T00:00:00Z', environment: 'test' }
    const response = await patch(key.id, body)
    expect(response.status).toBe(422)
    const issues = jsonOf(response).issues as { path: string[]; code: string }[]
    expect(issues.map(({ path, code }) => `${path.join('.')}:${code}`).sort()).toEqual([
      'environment:unknown_field',
      'expiresAt:invalid_value',
      'name:invalid_type',
      'scopes:required',
    ])
    for (const metadata of [{ other: 'x' }, { __proto__x: 'x' }]) {
      expect(verdictOf(await patch(key.id, { metadata }))).toBe('422 invalid_input')
    }
    expect((await backend.keys.getKey({ workspaceId: 'ws_1', id: key.id })).version).toBe(1)
  })

  test('pauses and resumes', async () => {
    const { key, secret } = await create()
    const paused = await post(host.port, `/keys/${key.id}/pause`)
    expect([paused.status, only(paused, 'etag')]).toEqual([200, '"2"'])
    expect(schemas.KeyAnswer.parse(jsonOf(paused)).key).toMatchObject({
      ...{ status: 'paused', pausedBy: { id: 'u_1', name: 'نورة' } },
    })
    expect((await backend.keys.authenticate(`Bearer ${secret}`, null)).ok).toBe(false)
    const resumed = await post(host.port, `/keys/${key.id}/resume`)
    expect(jsonOf(resumed).key).toMatchObject({ status: 'active', version: 3 })
  })

  test('rotates with an overlap', async () => {
    const { key, secret } = await create()
    const path = `/keys/${key.id}/rotate`
    const bad = await post(host.port, path, { overlapSeconds: -1, workspaceId: 'ws_2' })
    expect(verdictOf(bad)).toBe('422 invalid_input')
    const expiresAt = inDays(30)
    const response = await post(host.port, path, { overlapSeconds: 3_600, expiresAt })
    const { replaced, key: next } = schemas.RotatedKey.parse(jsonOf(response))
    expect(replaced).toMatchObject({ status: 'retiring', replacedBy: next.id })
    expect(next.expiresAt).toBe(expiresAt)
    expect((await backend.keys.authenticate(`Bearer ${secret}`, null)).ok).toBe(true)
    const again = await post(host.port, path)
    expect(verdictOf(again)).toBe('409 key_rotated')
    expect(jsonOf(again).replacedBy).toBe(next.id)
  })

  test('the list says what the plan allows', async () => {
    const list = schemas.KeyList.parse(
      jsonOf(await send(host.port, { path: '/keys?status=paused' })),
    )
    expect(list).toMatchObject({ keys: [], maxLifetimeSeconds: null, maxOverlapSeconds: 604_800 })
  })
})

describe('what context gets before it answers', () => {
  /** A handler whose host lets members rename, and nothing else. */
  function membersRename() {
    const { keys } = testKeys()
    const asked: (readonly ChangeableField[])[] = []
    const handler = manageKeys(keys, {
      context: async (_request, operation, detail) => {
        const fields = await detail.fields()
        asked.push(fields)
        const renames = fields.every((field) => field === 'name')
        const user = { id: 'u_1', name: 'نورة' }
        return operation !== 'updateKey' || renames ? { workspaceId: 'ws_1', user } : 'forbidden'
      },
    })
    return { keys, asked, handler }
  }

  const call = (handler: (request: Request) => Promise<Response>, body: string) =>
    handler(
      new Request('https://example.com/keys/key_x', {
        ...{ method: 'PATCH', body },
        headers: { 'content-type': 'application/json', 'if-match': '"1"' },
      }),
    )

  test('the fields that a change names, so that members can rename only', async () => {
    const { handler, asked } = membersRename()
    expect((await call(handler, '{"name":"x"}')).status).toBe(404)
    expect((await call(handler, '{"name":"x","scopes":[]}')).status).toBe(403)
    expect((await call(handler, '{"other":1}')).status).toBe(422)
    expect((await call(handler, '{')).status).toBe(400)
    expect(asked).toEqual([['name'], ['name', 'scopes'], [], []])
  })

  test('no fields where the operation changes none', async () => {
    const { handler, asked } = membersRename()
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: '{"name":"x"}' }
    expect((await handler(new Request('https://example.com/keys', init))).status).toBe(422)
    expect(asked).toEqual([[]])
  })

  test.each(['POST', 'PATCH'])(
    'nobody reads the body of a %s without a session',
    async (method) => {
      const { keys } = testKeys()
      const handler = manageKeys(keys, { context: () => null })
      const pull = vi.fn()
      const body = new ReadableStream({ pull }, { highWaterMark: 0 })
      const headers = { 'content-type': 'application/json', 'if-match': '"1"' }
      const url = `https://example.com/keys${method === 'PATCH' ? '/key_x' : ''}`
      const request = new Request(url, { method, headers, body, duplex: 'half' } as RequestInit)
      expect((await handler(request)).status).toBe(401)
      expect(pull).not.toHaveBeenCalled()
    },
  )
})

describe('the client', () => {
  const { keys } = testKeys()
  const user = { id: 'u_1', name: 'نورة' }
  const routes = manageKeys(keys, { context: () => ({ workspaceId: 'ws_1', user }) })
  const client = createManagementClient({
    baseUrl: 'https://example.com',
    fetch: (input, init) => routes(new Request(input, init)),
  })
  const body = { name: 'x', environment: 'live', scopes: ['contacts.read'] } as const

  test('reads, updates, pauses, resumes and rotates', async () => {
    const { key } = await client.createKey({ ...body, expiresAt: inDays(2) })
    expect(await client.getKey(key.id)).toEqual(key)
    const updated = await client.updateKey(key.id, key.version, { name: 'y' })
    expect(updated).toMatchObject({ name: 'y', version: 2 })
    expect((await client.pauseKey(key.id)).status).toBe('paused')
    expect((await client.resumeKey(key.id)).status).toBe('active')
    const rotated = await client.rotateKey(key.id, { overlapSeconds: 60 })
    expect(rotated.replaced.status).toBe('retiring')
  })

  test('without names the host shows and takes no metadata', async () => {
    const { key } = await client.createKey(body)
    expect('metadata' in key).toBe(false)
    const change = client.updateKey(key.id, 1, { metadata: { team: 'x' } })
    await expect(change).rejects.toMatchObject({ code: 'invalid_input' })
  })
})
