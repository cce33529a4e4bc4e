import { describe, expect, test } from 'vitest'
import { manageKeys } from '../../../adapters/http/fetch.ts'
import { StorageError } from '../../../adapters/storage/lib/storage-error.ts'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { ApiKeyError, createApiKeys, OutageError, plans } from '../../../src/index.ts'
import { hostForEach } from '../../support/http/host-for.ts'
import { issueKey, type TestKeys, testKeys } from '../../support/http/keys.ts'
import { jsonOf, NEW_KEY, only, post, send, verdictOf } from '../../support/http/management-call.ts'
import { anyHost, managementHosts } from '../../support/http/management-hosts.ts'

/** Until then the same write is sent again. */
const LOST_AFTER_MS = 1_000

describe.each(managementHosts)('failures behind manageKeys in $name', ({ start }) => {
  const errors: unknown[] = []
  let backend: TestKeys
  const host = hostForEach(() => {
    errors.length = 0
    backend = testKeys({ storageTimeoutMs: LOST_AFTER_MS })
    const onError = (error: unknown) => {
      errors.push(error)
      throw new Error('the reporter fails too')
    }
    return start(backend.keys, { onError })
  })

  test('an outage is 503 with Retry-After for all that needs the storage, and passes', async () => {
    const { key } = await issueKey(backend)
    const calls = [
      { path: '/keys' },
      { path: '/keys', body: NEW_KEY },
      { path: `/keys/${key.id}/rotate`, body: {} },
      { path: `/keys/${key.id}/revoke`, body: {} },
    ]
    backend.outage = true
    for (const call of calls) {
      const response = await send(host.port, call)
      expect(verdictOf(response)).toBe('503 storage_unavailable')
      expect(only(response, 'retry-after')).toBe('1')
      expect(only(response, 'cache-control')).toBe('no-store')
      expect(response.body).not.toContain('refused')
    }
    expect((await send(host.port, { path: '/scopes' })).status).toBe(200)
    backend.outage = false
    expect((await send(host.port, { path: '/keys' })).status).toBe(200)
    expect(errors).toEqual(calls.map(() => expect.any(OutageError)))
  })

  test('a change whose answer is lost has an unknown outcome', async () => {
    backend.lostAnswer = new StorageError('outcome_unknown', 'canary: the answer was lost')
    const response = await post(host.port, '/keys', NEW_KEY)
    expect(verdictOf(response)).toBe('500 outcome_unknown')
    expect(only(response, 'retry-after')).toBeUndefined()
    expect(response.body).not.toContain('canary')
    expect(errors).toMatchObject([{ operation: 'createKey' }])
  })

  test('a revocation whose answer is lost has an unknown outcome, and can be repeated', async () => {
    const { key } = await issueKey(backend)
    const call = { path: `/keys/${key.id}/revoke`, body: {} }
    backend.lostAnswer = new StorageError('outcome_unknown', 'the answer was lost')
    const response = await send(host.port, call)
    expect(verdictOf(response)).toBe('500 outcome_unknown')
    expect(jsonOf(response).detail).toMatch(/Revoke it again/)
    backend.lostAnswer = null
    expect((await send(host.port, call)).status).toBe(200)
  })

  test.each([
    new StorageError('refused', 'read only'),
    new StorageError('timeout', 'no connection was free'),
    new StorageError('busy', 'the file is locked'),
  ])('a change that was not made is an outage: $code', async (error) => {
    backend.failure = error
    const response = await post(host.port, '/keys', NEW_KEY)
    expect(verdictOf(response)).toBe('503 storage_unavailable')
    expect(only(response, 'retry-after')).toBe('1')
  })

  test('reads have no outcome that could be unknown', async () => {
    backend.lostAnswer = new StorageError('outcome_unknown', 'the answer was lost')
    expect((await send(host.port, { path: '/keys' })).status).toBe(200)
    expect((await send(host.port, { path: '/scopes' })).status).toBe(200)
  })

  test('an entitlements function that fails is an outage too', async () => {
    backend.plans.get = () => {
      throw new Error('canary: billing is down')
    }
    const response = await post(host.port, '/keys', NEW_KEY)
    expect(verdictOf(response)).toBe('503 storage_unavailable')
    expect(response.body).not.toContain('canary')
  })

  test('after close() the routes say 503, so that a client tries another process', async () => {
    await backend.keys.close()
    expect(verdictOf(await send(host.port, { path: '/keys' }))).toBe('503 storage_unavailable')
    expect(verdictOf(await post(host.port, '/keys', NEW_KEY))).toBe('503 storage_unavailable')
  })

  test('an unforeseen failure is 500 without a detail, and reported to the host', async () => {
    const response = await send(host.port, { path: '/keys', session: 'crash' })
    expect(verdictOf(response)).toBe('500 internal_error')
    expect(response.body).not.toContain('canary')
    expect(errors).toMatchObject([{ message: 'canary: the session store is down' }])
  })
  test('a reporter that rejects ends no process', async () => {
    const rejected = await start(backend.keys, {
      onError: async (error) => {
        errors.push(error)
        throw new Error('the reporter fails later')
      },
    })
    expect((await send(rejected.port, { path: '/keys', session: 'crash' })).status).toBe(500)
    expect(errors).toHaveLength(1)
    await rejected.close()
  })
})

describe.each(anyHost)('a lost answer behind manageKeys in $name', ({ start }) => {
  const errors: unknown[] = []
  let backend: TestKeys
  const host = hostForEach(() => {
    errors.length = 0
    backend = testKeys({ storageTimeoutMs: LOST_AFTER_MS })
    return start(backend.keys, { onError: (error) => void errors.push(error) })
  })

  test.each([
    ['failed for a reason of its own', new Error('canary: connection reset')],
    ['answered with a row that cannot be read', new StorageError('broken_row', 'canary')],
    ['threw nothing that is an error', undefined],
  ])('a change whose storage %s has an unknown outcome', async (_, lostAnswer) => {
    const { key } = await issueKey(backend)
    backend.lostAnswer = lostAnswer
    const changes = [
      { path: '/keys', body: NEW_KEY },
      { path: `/keys/${key.id}/rotate`, body: {} },
    ]
    for (const call of changes) {
      const response = await send(host.port, call)
      expect(verdictOf(response)).toBe('500 outcome_unknown')
      expect(only(response, 'retry-after')).toBeUndefined()
      expect(jsonOf(response).detail).toMatch(/List the keys.*revoke/)
      expect(response.body).not.toContain('canary')
    }
    expect(errors).toMatchObject([{ operation: 'createKey' }, { operation: 'rotateKey' }])
    const { activeKeys } = await backend.keys.listKeys({ workspaceId: 'ws_1' })
    expect(activeKeys).toBe(2)
  })
})

test('a change that the storage does not answer in time has an unknown outcome', async () => {
  const storage = Object.assign(memoryStorage(), { write: () => new Promise<never>(() => {}) })
  const entitlements = () => plans.business
  const keys = createApiKeys({ storage, entitlements, storageTimeoutMs: 500 })
  const context = () => ({ workspaceId: 'ws_1', user: { id: 'u_1', name: 'Noura' } })
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(NEW_KEY) }
  const response = await manageKeys(keys, { context })(new Request('https://a.example/keys', init))
  expect([response.status, (await response.json()).code]).toEqual([500, 'outcome_unknown'])
})

test('a code that only a later copy of the package has is 500', async () => {
  const listKeys = () => Promise.reject(new ApiKeyError('of_a_later_version' as 'stale'))
  const { keys } = testKeys()
  const context = () => ({ workspaceId: 'ws_1', user: { id: 'u_1', name: 'Noura' } })
  const routes = manageKeys({ ...keys, listKeys }, { context, onError: () => {} })
  const response = await routes(new Request('https://a.example/keys'))
  expect([response.status, (await response.json()).code]).toEqual([500, 'internal_error'])
})
