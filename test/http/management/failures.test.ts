import { beforeEach, describe, expect, test } from 'vitest'
import type { RunningHost } from '../../support/http/guard-hosts.ts'
import { issueKey, type TestKeys, testKeys } from '../../support/http/keys.ts'
import { NEW_KEY, only, post, send, verdictOf } from '../../support/http/management-call.ts'
import { managementHosts } from '../../support/http/management-hosts.ts'

describe.each(managementHosts)('failures behind manageKeys in $name', ({ start }) => {
  const errors: unknown[] = []
  let backend: TestKeys
  let host: RunningHost

  beforeEach(async () => {
    errors.length = 0
    backend = testKeys()
    const onError = (error: unknown) => {
      errors.push(error)
      throw new Error('the reporter fails too')
    }
    host = await start(backend.keys, { onError })
    return () => host.close()
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
    expect(errors).toEqual([])
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

  test('a failure that nobody has foreseen is 500 without a word, and the host is told', async () => {
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
