import { beforeEach, describe, expect, test } from 'vitest'
import { hostForEach } from '../../support/http/host-for.ts'
import { issueKey, type TestKeys, testKeys } from '../../support/http/keys.ts'
import { JSON_TYPE, NEW_KEY, send, verdictOf } from '../../support/http/management-call.ts'
import { managementHosts } from '../../support/http/management-hosts.ts'

describe.each(managementHosts)('the workspace that a page shows, in $name', ({ start }) => {
  let backend: TestKeys
  let id: string
  const host = hostForEach(() => {
    backend = testKeys()
    return start(backend.keys)
  })
  beforeEach(async () => {
    id = (await issueKey(backend)).key.id
  })

  const everything = async () =>
    JSON.stringify([
      await backend.keys.listKeys({ workspaceId: 'ws_1' }),
      await backend.keys.listKeys({ workspaceId: 'ws_2' }),
      await backend.keys.listEvents({ workspaceId: 'ws_1' }),
      await backend.keys.listEvents({ workspaceId: 'ws_2' }),
    ])

  const calls = () => [
    { path: '/keys', done: 200 },
    { path: '/scopes', done: 200 },
    { path: '/keys', body: NEW_KEY, done: 201 },
    { path: `/keys/${id}/rotate`, body: {}, done: 201 },
    { path: `/keys/${id}/revoke`, body: {}, done: 200 },
  ]

  const shows = (...lines: readonly string[]) => ({
    headers: [JSON_TYPE, ...lines.map((line) => `Miftah-Workspace: ${line}`)],
  })

  test('is checked on every route when the page says it, and nothing is done for another', async () => {
    for (const { done, ...call } of calls()) {
      const before = await everything()
      const refused = await send(host.port, { ...call, session: 'omar', ...shows('ws_1') })
      expect([call.path, verdictOf(refused)]).toEqual([call.path, '409 workspace_changed'])
      expect(refused.body).not.toMatch(/ws_[12]/)
      expect(await everything()).toBe(before)
      expect((await send(host.port, { ...call, ...shows('ws_1') })).status).toBe(done)
    }
  })

  test.each([
    { lines: ['ws%5F1'], verdict: 200 },
    { lines: ['ws_2'], verdict: 409 },
    { lines: [''], verdict: 409 },
    { lines: ['%'], verdict: 409 },
    { lines: ['%FF'], verdict: 409 },
    { lines: ['WS_1'], verdict: 409 },
    { lines: ['ws_1', 'ws_1'], verdict: 409 },
    { lines: ['ws_2', 'ws_1'], verdict: 409 },
  ])('$lines: $verdict', async ({ lines, verdict }) => {
    expect((await send(host.port, { path: '/keys', ...shows(...lines) })).status).toBe(verdict)
  })

  test('reveals nothing to unauthorised callers, and comes before query and body', async () => {
    const stranger = await send(host.port, { path: '/keys', session: null, ...shows('ws_2') })
    expect(verdictOf(stranger)).toBe('401 unauthenticated')
    const viewer = { path: '/keys', body: NEW_KEY, session: 'viewer', ...shows('ws_2') }
    expect(verdictOf(await send(host.port, viewer))).toBe('403 forbidden')
    const broken = { method: 'POST', path: '/keys?x=1', body: [], ...shows('ws_2') }
    expect(verdictOf(await send(host.port, broken))).toBe('409 workspace_changed')
  })
})
