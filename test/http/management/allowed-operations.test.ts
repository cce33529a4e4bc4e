import { beforeEach, describe, expect, test } from 'vitest'
import type { KeyOperation } from '../../../adapters/http/fetch.ts'
import { answerSchemas } from '../../../adapters/http/lib/management/wire/answers.ts'
import { KEY_OPERATIONS } from '../../../adapters/http/lib/management/wire/key-operations.ts'
import {
  OPERATION_NAMES,
  OPERATIONS,
} from '../../../adapters/http/lib/management/wire/operations.ts'
import { defaultCatalogue } from '../../../src/index.ts'
import { hostForEach } from '../../support/http/host-for.ts'
import { issueKey, type TestKeys, testKeys } from '../../support/http/keys.ts'
import { JSON_TYPE, jsonOf, NEW_KEY, send, verdictOf } from '../../support/http/management-call.ts'
import { anyHost } from '../../support/http/management-hosts.ts'

const schemas = answerSchemas(defaultCatalogue)
const REFUSED = '403 operation_not_allowed'

/** Every change as a call on the key `id`, with a body that would be accepted. */
const CHANGES: Readonly<Record<KeyOperation, (id: string) => Parameters<typeof send>[1]>> = {
  createKey: () => ({ path: '/keys', body: NEW_KEY }),
  updateKey: (id) => ({
    method: 'PATCH',
    path: `/keys/${id}`,
    headers: [JSON_TYPE, 'If-Match: "1"'],
    body: { name: 'Renamed' },
  }),
  pauseKey: (id) => ({ path: `/keys/${id}/pause`, body: {} }),
  resumeKey: (id) => ({ path: `/keys/${id}/resume`, body: {} }),
  rotateKey: (id) => ({ path: `/keys/${id}/rotate`, body: {} }),
  revokeKey: (id) => ({ path: `/keys/${id}/revoke`, body: {} }),
  revokeKeys: (id) => ({ path: '/keys/revoke', body: { ids: [id] } }),
}

test('the operations that can be allowed are those that change something', () => {
  const changing = OPERATION_NAMES.filter((name) => OPERATIONS[name].method !== 'GET')
  expect([...KEY_OPERATIONS].sort()).toEqual([...changing].sort())
})

describe.each(anyHost)('allowed operations in $name', ({ start }) => {
  const errors: unknown[] = []
  let backend: TestKeys
  let id: string
  const host = hostForEach(() => {
    errors.length = 0
    backend = testKeys()
    return start(backend.keys, { onError: (error) => errors.push(error) })
  })
  beforeEach(async () => {
    id = (await issueKey(backend)).key.id
  })

  const allowedOf = async (session: string) =>
    schemas.KeyList.parse(jsonOf(await send(host.port, { path: '/keys', session })))
      .allowedOperations

  const eventsOf = async () => (await backend.keys.listEvents({ workspaceId: 'ws_1' })).events

  test('the list says what the user may do; without a word of the host it is everything', async () => {
    expect(await allowedOf('noura')).toEqual(KEY_OPERATIONS)
    expect(await allowedOf('auditor')).toEqual(['pauseKey', 'revokeKey'])
    expect(await allowedOf('reader')).toEqual([])
  })

  test.each(KEY_OPERATIONS)(
    '%s is refused where it is not allowed, and changes nothing',
    async (name) => {
      const before = await eventsOf()
      const response = await send(host.port, { ...CHANGES[name](id), session: 'reader' })
      expect(verdictOf(response)).toBe(REFUSED)
      expect(await eventsOf()).toEqual(before)
      expect(errors).toEqual([])
    },
  )

  test('revoking several keys needs the right to revoke one', async () => {
    const response = await send(host.port, { ...CHANGES.revokeKeys(id), session: 'sweeper' })
    expect(verdictOf(response)).toBe(REFUSED)
    expect(await allowedOf('sweeper')).toEqual(['revokeKeys'])
  })

  test('reading is never refused', async () => {
    for (const path of ['/keys', `/keys/${id}`, '/scopes']) {
      expect((await send(host.port, { path, session: 'reader' })).status).toBe(200)
    }
  })

  test('the refusal says nothing about the key or the body', async () => {
    const call = CHANGES.updateKey('key_000000000000000000000')
    const unknown = await send(host.port, { ...call, session: 'reader' })
    const broken = await send(host.port, { ...call, body: { strange: 1 }, session: 'reader' })
    const known = await send(host.port, { ...CHANGES.updateKey(id), session: 'reader' })
    expect([unknown.body, broken.body]).toEqual([known.body, known.body])
  })

  test('a page that shows another workspace gets that error first', async () => {
    const call = { ...CHANGES.revokeKey(id), headers: [JSON_TYPE, 'Miftah-Workspace: ws_2'] }
    const response = await send(host.port, { ...call, session: 'reader' })
    expect(verdictOf(response)).toBe('409 workspace_changed')
  })

  test.each([
    { session: 'misspelt', named: '"rotate"' },
    { session: 'unlisted', named: 'something other than a list' },
  ])('$session: a fault of the host, which is told what is wrong', async ({ session, named }) => {
    for (const call of [{ path: '/keys' }, CHANGES.revokeKey(id)]) {
      const response = await send(host.port, { ...call, session })
      expect(verdictOf(response)).toBe('500 internal_error')
      expect(response.body).not.toContain('canary')
    }
    expect(errors).toHaveLength(2)
    for (const error of errors) {
      expect(error).toBeInstanceOf(TypeError)
      expect((error as TypeError).message).toContain(named)
      expect((error as TypeError).message).toContain('allowedOperations')
    }
  })
})
