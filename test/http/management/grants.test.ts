import { beforeEach, describe, expect, test } from 'vitest'
import { answerSchemas } from '../../../adapters/http/lib/management/wire/answers.ts'
import { defaultCatalogue, defineResources } from '../../../src/index.ts'
import { hostForEach } from '../../support/http/host-for.ts'
import { issueKey, type TestKeys, testKeys, USER } from '../../support/http/keys.ts'
import { JSON_TYPE, jsonOf, NEW_KEY, send, verdictOf } from '../../support/http/management-call.ts'
import { anyHost } from '../../support/http/management-hosts.ts'

const schemas = answerSchemas(defaultCatalogue)
const resources = defineResources([{ type: 'project', label: { en: 'Projects' } }])
const PROJECTS = [
  { id: 'p_1', name: 'Website' },
  { id: 'p_2', name: 'Shop' },
]

/** The host's projects. The session of each call is kept. */
function projects(sessions: unknown[]) {
  return {
    search: (session: unknown, text: string) => {
      sessions.push(session)
      const found = PROJECTS.filter(({ name }) => name.includes(text))
      return { resources: found, nextCursor: text === '' ? 'p_2' : null }
    },
    name: (_session: unknown, ids: readonly string[]) =>
      text(ids) === 'bad' ? ('nothing' as never) : PROJECTS,
  }
}

const text = (ids: readonly string[]) => ids.join()

describe.each(anyHost)('grants in $name', ({ start }) => {
  let backend: TestKeys
  let id: string
  const [errors, sessions]: [unknown[], unknown[]] = [[], []]
  const host = hostForEach(() => {
    for (const list of [errors, sessions]) list.length = 0
    backend = testKeys({ resources })
    return start(backend.keys, {
      onError: (error) => errors.push(error),
      resources: { project: projects(sessions) },
    })
  })
  beforeEach(async () => {
    id = (await issueKey(backend, 'contacts.write')).key.id
  })

  const call = (path: string, body: unknown, session: string) =>
    send(host.port, { method: 'POST', path, body, session })
  const patch = (body: unknown, session: string, version = 1) =>
    send(host.port, {
      method: 'PATCH',
      path: `/keys/${id}`,
      headers: [JSON_TYPE, `If-Match: "${version}"`],
      body,
      session,
    })

  test('what makes a key live or widens it beyond the ceiling is 403 with what is missing', async () => {
    const beyond = { ...NEW_KEY, scopes: ['contacts.read', 'contacts.write'] }
    const created = await call('/keys', beyond, 'junior')
    expect(verdictOf(created)).toBe('403 not_grantable')
    expect(jsonOf(created).missing).toEqual({ scopes: ['contacts.write'] })
    expect(schemas.Problem.parse(jsonOf(created)).code).toBe('not_grantable')
    expect(verdictOf(await call(`/keys/${id}/rotate`, {}, 'junior'))).toBe('403 not_grantable')
    const wider = { scopes: ['contacts.read', 'contacts.write'] }
    expect(verdictOf(await patch(wider, 'junior'))).toBe('403 not_grantable')
    const paused = await call(`/keys/${id}/pause`, {}, 'junior')
    expect(jsonOf(paused).key).toMatchObject({ status: 'paused', withinGrant: false })
    expect(verdictOf(await call(`/keys/${id}/resume`, {}, 'junior'))).toBe('403 not_grantable')
    expect((await patch({ name: 'Renamed' }, 'junior', 2)).status).toBe(200)
    expect((await call(`/keys/${id}/revoke`, {}, 'junior')).status).toBe(200)
    expect((await call('/keys', NEW_KEY, 'junior')).status).toBe(201)
    expect(errors).toEqual([])
  })

  test('an empty list of resources is none, never all, on every way', async () => {
    const made = jsonOf(await call('/keys', { ...NEW_KEY, resources: { project: [] } }, 'noura'))
    id = made.key.id
    expect(made.key.resources).toEqual({ project: [] })
    const patched = async (resources: unknown, version: number) => {
      const response = await patch({ resources }, 'noura', version)
      const read = jsonOf(await send(host.port, { path: `/keys/${id}` })).key
      return [response.status, read.resources]
    }
    expect(await patched({}, 1)).toEqual([200, { project: [] }])
    expect(await patched(null, 1)).toEqual([422, { project: [] }])
    expect(await patched({ project: null }, 1)).toEqual([422, { project: [] }])
    expect(await patched({ project: ['p_1'] }, 1)).toEqual([200, { project: ['p_1'] }])
    expect(await patched({ project: [] }, 2)).toEqual([200, { project: [] }])
    const rotated = jsonOf(await call(`/keys/${id}/rotate`, {}, 'noura'))
    expect(rotated.key.resources).toEqual({ project: [] })
    expect(jsonOf(await call('/keys', NEW_KEY, 'noura')).key.resources).toEqual({ project: 'all' })
  })

  test('the list says what may be given, and which keys are within it', async () => {
    await call('/keys', NEW_KEY, 'junior')
    const list = jsonOf(await send(host.port, { path: '/keys?sort=createdAt', session: 'junior' }))
    expect(schemas.KeyList.parse(list).keys.map(({ withinGrant }) => withinGrant)).toEqual([
      false,
      true,
    ])
    expect(list).toMatchObject({ grantable: { scopes: ['contacts.read'] }, total: 2 })
    const all = jsonOf(await send(host.port, { path: '/keys' }))
    expect([all.grantable, all.keys[0].withinGrant]).toEqual([null, true])
  })

  test.each([
    ['ungranted', 'grantable'],
    ['blind', 'visible'],
  ])(
    'the session "%s" is a mistake of the host, and never means everything',
    async (session, named) => {
      const response = await call('/keys', NEW_KEY, session)
      expect(verdictOf(response)).toBe('500 internal_error')
      expect(String(errors[0])).toContain(named)
    },
  )

  test('who sees only their own keys finds no others', async () => {
    for (const path of [`/keys/${id}`, `/keys/${id}/events`]) {
      expect(verdictOf(await send(host.port, { path, session: 'loner' }))).toBe('404 key_not_found')
    }
    for (const action of ['pause', 'resume', 'rotate', 'revoke']) {
      const response = await call(`/keys/${id}/${action}`, {}, 'loner')
      expect(verdictOf(response)).toBe('404 key_not_found')
    }
    expect(verdictOf(await patch({ name: 'Mine' }, 'loner'))).toBe('404 key_not_found')
    const own = jsonOf(await call('/keys', NEW_KEY, 'loner')).key.id
    const keysOf = async (path: string) =>
      jsonOf(await send(host.port, { path, session: 'loner' })).keys.map(
        (key: { id: string }) => key.id,
      )
    expect(await keysOf('/keys')).toEqual([own])
    expect(await keysOf(`/keys?creatorId=${USER.id}`)).toEqual([])
    const range = '?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z'
    const usage = await send(host.port, { path: `/usage${range}`, session: 'loner' })
    expect(verdictOf(usage)).toBe('403 forbidden')
    const bulk = await call('/keys/revoke', { creatorId: USER.id }, 'loner')
    expect(jsonOf(bulk)).toMatchObject({ revoked: 0 })
    expect(jsonOf(await call('/keys/revoke', { environment: 'live' }, 'loner')).revoked).toBe(1)
    expect((await send(host.port, { path: `/keys/${id}`, session: 'noura' })).status).toBe(200)
  })

  test('keys are revoked by filters, first as a dry run', async () => {
    const dry = jsonOf(await call('/keys/revoke', { creatorId: USER.id, dryRun: true }, 'noura'))
    expect(schemas.RevokedKeys.parse(dry)).toMatchObject({ revoked: 1, more: false })
    expect(dry.keys[0].id).toBe(id)
    const answer = jsonOf(await call('/keys/revoke', { creatorId: USER.id }, 'noura'))
    expect(answer.revoked).toBe(1)
    const { status } = jsonOf(await send(host.port, { path: `/keys/${id}` })).key
    expect(status).toBe('revoked')
    expect(verdictOf(await call('/keys/revoke', {}, 'noura'))).toBe('422 invalid_input')
    expect(verdictOf(await call('/keys/revoke', { creatorId: null }, 'noura'))).toBe(
      '422 invalid_input',
    )
    const limited = await call('/keys/revoke', { creatorId: USER.id, limit: 1 }, 'noura')
    expect(jsonOf(limited).issues).toMatchObject([{ code: 'unknown_field', path: ['limit'] }])
  })

  test('resources are named by the host, for its session alone', async () => {
    const read = async (path: string) => send(host.port, { path })
    const page = schemas.Resources.parse(jsonOf(await read('/resources/project')))
    expect(page).toEqual({ resources: PROJECTS, nextCursor: 'p_2' })
    expect(sessions).toMatchObject([{ workspaceId: 'ws_1', user: USER }])
    expect(jsonOf(await read('/resources/project?search=Shop')).resources).toEqual([PROJECTS[1]])
    expect(jsonOf(await read('/resources/project?id=p_1&id=p_9')).resources).toEqual([PROJECTS[0]])
    expect(verdictOf(await read('/resources/team'))).toBe('404 not_found')
    expect(verdictOf(await read('/resources/project?id=bad'))).toBe('500 internal_error')
    const { resources: types } = jsonOf(await read('/scopes'))
    expect(types).toEqual([{ type: 'project', label: { en: 'Projects' }, isNamed: true }])
    const listed = jsonOf(await read('/keys?resource=project:p_1')).keys
    expect(listed.map((key: { id: string }) => key.id)).toEqual([id])
    expect(verdictOf(await read('/keys?resource=p_1'))).toBe('422 invalid_input')
  })
})

test('an option "resources" of an undefined type, or without functions, is refused', async () => {
  const { keys } = testKeys({ resources })
  const [{ start } = expect.fail('no host')] = anyHost
  const source = projects([])
  await expect(async () => start(keys, { resources: { team: source } })).rejects.toThrow(/team/)
  const half = { project: { search: source.search } as unknown as typeof source }
  await expect(async () => start(keys, { resources: half })).rejects.toThrow(/search and name/)
})
