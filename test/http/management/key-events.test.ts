import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createManagementClient } from '../../../adapters/client/index.ts'
import { manageKeys } from '../../../adapters/http/fetch.ts'
import { answerSchemas } from '../../../adapters/http/lib/management/wire/answers.ts'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { writeNotices } from '../../../src/events/index.ts'
import { defaultCatalogue } from '../../../src/index.ts'
import { hostForEach } from '../../support/http/host-for.ts'
import { issueKey, type TestKeys, testKeys, USER } from '../../support/http/keys.ts'
import { jsonOf, send, verdictOf } from '../../support/http/management-call.ts'
import { anyHost } from '../../support/http/management-hosts.ts'
import { keyInput } from '../../support/world.ts'

const schemas = answerSchemas(defaultCatalogue)
const UNKNOWN = 'key_000000000000000000000'

/** A key that was changed, paused, resumed, rotated and, as the replaced key, revoked. */
async function livedKey(backend: TestKeys) {
  const { keys } = backend
  const { key, secret } = await issueKey(backend)
  const own = { workspaceId: 'ws_1', id: key.id, actor: { id: 'u_2', name: 'Omar' } }
  const change = { name: 'ERP sync', metadata: { team: 'web', note: 'canary-hidden' } }
  await keys.updateKey({ ...own, version: 1, change })
  await keys.pauseKey(own)
  await keys.resumeKey(own)
  const rotated = await keys.rotateKey({ ...own, overlapSeconds: 3_600 })
  await keys.revokeKey({ ...own, reason: 'leaked' })
  return { id: key.id, replacement: rotated.key.id, secrets: [secret, rotated.secret] }
}

describe.each(anyHost)('the history of a key in $name', ({ start }) => {
  let backend: TestKeys
  const host = hostForEach(() => {
    backend = testKeys()
    return start(backend.keys)
  })

  const read = async (path: string) => {
    const response = await send(host.port, { path })
    expect(response.status).toBe(200)
    return schemas.KeyEvents.parse(jsonOf(response))
  }

  test('is what happened to it, by whom, the newest first', async () => {
    const { id, replacement } = await livedKey(backend)
    await issueKey(backend)
    const { events, nextCursor } = await read(`/keys/${id}/events`)
    expect(nextCursor).toBe(null)
    expect(events.map(({ type, actor }) => [type.slice('api_key.'.length), actor.name])).toEqual([
      ['revoked', 'Omar'],
      ['rotated', 'Omar'],
      ['resumed', 'Omar'],
      ['paused', 'Omar'],
      ['updated', 'Omar'],
      ['created', USER.name],
    ])
    expect(events[0]?.data).toMatchObject({ reason: 'leaked', endedOverlap: true })
    expect(events[1]?.data).toMatchObject({ replacementId: replacement })
    expect(events[4]?.data).toMatchObject({
      before: { name: 'CRM sync' },
      after: { name: 'ERP sync' },
    })
  })

  test('of a replacement ends with the rotation that it came from', async () => {
    const { id, replacement } = await livedKey(backend)
    await backend.keys.pauseKey({ workspaceId: 'ws_1', id: replacement, actor: USER })
    const { events } = await read(`/keys/${replacement}/events`)
    expect(events.map(({ type, keyId }) => [type, keyId])).toEqual([
      ['api_key.paused', replacement],
      ['api_key.rotated', id],
    ])
  })

  test.each([1, 2, 3, 6])('comes in pages of %i, each event once', async (limit) => {
    const { id } = await livedKey(backend)
    const whole = await read(`/keys/${id}/events`)
    const seen: unknown[] = []
    let query = `?limit=${limit}`
    for (let pages = 1; ; pages += 1) {
      const page = await read(`/keys/${id}/events${query}`)
      expect(page.events.length).toBeLessThanOrEqual(limit)
      seen.push(...page.events)
      if (page.nextCursor === null) {
        // No page is empty.
        expect(pages).toBe(Math.ceil(whole.events.length / limit))
        break
      }
      query = `?limit=${limit}&cursor=${page.nextCursor}`
    }
    expect(seen).toEqual(whole.events)
  })

  test('is for its own workspace alone, and holds no secret, no hash and no hidden metadata', async () => {
    const { id, replacement, secrets } = await livedKey(backend)
    const path = `/keys/${id}/events`
    expect(verdictOf(await send(host.port, { path, session: null }))).toBe('401 unauthenticated')
    expect(verdictOf(await send(host.port, { path, session: 'viewer' }))).toBe('403 forbidden')
    expect(verdictOf(await send(host.port, { path, session: 'omar' }))).toBe('404 key_not_found')
    for (const strange of [UNKNOWN, 'x', '%00']) {
      const response = await send(host.port, { path: `/keys/${strange}/events` })
      expect(verdictOf(response)).toBe('404 key_not_found')
    }
    const bodies = await Promise.all(
      [id, replacement].map((one) => send(host.port, { path: `/keys/${one}/events` })),
    )
    const text = bodies.map(({ body }) => body).join('')
    expect(text).not.toContain('canary-hidden')
    expect(text).not.toContain('team')
    for (const secret of secrets) {
      expect(text).not.toContain(secret.slice(12))
      expect(text).not.toContain(createHash('sha256').update(secret).digest('hex'))
    }
  })

  test.each([
    ['?cursor=evt_x', 'cursor', 'invalid_value'],
    ['?limit=0', 'limit', 'out_of_range'],
    ['?limit=201', 'limit', 'out_of_range'],
    ['?limit=x', 'limit', 'invalid_type'],
    ['?keyId=key_x', 'keyId', 'unknown_field'],
    ['?newestFirst=', 'newestFirst', 'unknown_field'],
    ['?limit=1&limit=2', 'limit', 'repeated'],
  ])('%s is 422', async (query, field, code) => {
    const { key } = await issueKey(backend)
    const response = await send(host.port, { path: `/keys/${key.id}/events${query}` })
    expect(verdictOf(response)).toBe('422 invalid_input')
    const path = code === 'unknown_field' ? [] : [field]
    expect(jsonOf(response).issues).toMatchObject([{ path, code }])
  })

  test('a cursor of another workspace is 422, another method 405', async () => {
    const { key } = await issueKey(backend)
    const omar = { id: 'u_2', name: 'Omar' }
    const other = {
      workspaceId: 'ws_2',
      creator: omar,
      name: 'Other',
      environment: 'live',
    } as const
    await backend.keys.createKey({ ...other, scopes: ['contacts.read'] })
    const { nextCursor } = await backend.keys.listEvents({ workspaceId: 'ws_2' })
    const path = `/keys/${key.id}/events`
    const foreign = await send(host.port, { path: `${path}?cursor=${nextCursor}` })
    expect(verdictOf(foreign)).toBe('422 invalid_input')
    const post = await send(host.port, { method: 'POST', path, body: {} })
    expect(verdictOf(post)).toBe('405 method_not_allowed')
  })
})

/** A client straight on the routes, which show one entry of the metadata. */
function clientOf({ keys }: TestKeys) {
  const routes = manageKeys(keys, {
    context: () => ({ workspaceId: 'ws_1', user: USER, allowedOperations: [] }),
    metadata: ['team'],
  })
  return createManagementClient({
    baseUrl: 'https://example.com',
    fetch: (input, init) => routes(new Request(input, init)),
  })
}

test('the client reads it page by page, also for a user who may change nothing', async () => {
  const backend = testKeys()
  const { id } = await livedKey(backend)
  const management = clientOf(backend)
  const first = await management.getKeyEvents(id, { limit: 4 })
  expect(first.events).toHaveLength(4)
  const rest = await management.getKeyEvents(id, { cursor: first.nextCursor ?? '' })
  expect(rest.events.map(({ type }) => type)).toEqual(['api_key.updated', 'api_key.created'])
  expect(rest.nextCursor).toBe(null)
  await expect(management.getKeyEvents(UNKNOWN)).rejects.toMatchObject({ code: 'key_not_found' })
  await expect(management.getKeyEvents('..')).rejects.toMatchObject({ code: 'key_not_found' })
})

test('of the metadata that an update has changed, the names that are shown', async () => {
  const backend = testKeys()
  const { id } = await livedKey(backend)
  const { events } = await clientOf(backend).getKeyEvents(id)
  const update = events.find(({ type }) => type === 'api_key.updated')
  expect(update?.data).toMatchObject({ after: { name: 'ERP sync', metadata: ['team'] } })
  expect(JSON.stringify(update)).not.toContain('note')
})

test('every kind of event fits the schema that is published', async () => {
  let now = Date.now()
  const storage = memoryStorage()
  const backend = testKeys({ storage, now: () => new Date(now) })
  const { keys } = backend
  const day = 86_400_000
  const { key } = await keys.createKey(
    keyInput({ name: 'Short', expiresAt: new Date(now + 8 * day) }),
  )
  const { replaced } = await keys.rotateKey({
    ...{ workspaceId: 'ws_1', id: (await issueKey(backend)).key.id, actor: USER },
    overlapSeconds: 3_600,
  })
  const notices = writeNotices({ storage, now: () => new Date(now), pollMs: 1 })
  const typesOf = async (id: string) => {
    const answer = await clientOf(backend).getKeyEvents(id)
    return schemas.KeyEvents.parse(answer).events.map(({ type }) => type.slice('api_key.'.length))
  }
  now += 2 * day
  await expect.poll(() => typesOf(replaced.id)).toEqual(['retired', 'rotated', 'created'])
  await expect.poll(() => typesOf(key.id)).toEqual(['expiring', 'created'])
  now += 10 * day
  await expect.poll(() => typesOf(key.id)).toContain('expired')
  await notices.stop()
})
