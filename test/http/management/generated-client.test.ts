import express from 'express'
import createClient from 'openapi-fetch'
import { expect, test } from 'vitest'
import { manageKeys } from '../../../adapters/http/express.ts'
import { listen } from '../../support/http/guard-hosts.ts'
import { testKeys, USER } from '../../support/http/keys.ts'
import { NEW_KEY } from '../../support/http/management-call.ts'
import type { paths } from '../../support/http/openapi-paths.ts'

const BASE = '/api/settings/api-keys'

test('a generated client drives every route', async () => {
  const { keys } = testKeys()
  const manage = manageKeys(keys, { context: () => ({ workspaceId: 'ws_1', user: USER }) })
  const host = await listen(express().use(BASE, manage))
  const origin = `http://127.0.0.1:${host.port}`
  const client = createClient<paths>({ baseUrl: `${origin}${BASE}` })
  const header = { 'Miftah-Workspace': 'ws_1' }
  try {
    const scopes = await client.GET('/scopes', { params: { header } })
    expect(scopes.data?.groups.length).toBeGreaterThan(0)

    const issued = await client.POST('/keys', {
      params: { header },
      body: { ...NEW_KEY, environment: 'live', scopes: ['contacts.read'] },
    })
    const { key, secret } = issued.data ?? expect.fail('no key')
    expect((await keys.authenticate(`Bearer ${secret}`, 'contacts.read')).ok).toBe(true)

    const path = { id: key.id }
    const list = await client.GET('/keys', { params: { query: { status: ['active'], limit: 10 } } })
    expect(list.data?.keys).toEqual([key])

    const read = await client.GET('/keys/{id}', { params: { path } })
    const version = read.response.headers.get('etag') ?? ''
    const changed = await client.PATCH('/keys/{id}', {
      params: { path, header: { 'If-Match': version } },
      body: { name: 'Renamed' },
    })
    expect(changed.data?.key.name).toBe('Renamed')

    const stale = await client.PATCH('/keys/{id}', {
      params: { path, header: { 'If-Match': version } },
      body: { name: 'Too late' },
    })
    expect(stale.error).toMatchObject({ code: 'stale', key: { name: 'Renamed' } })

    const paused = await client.POST('/keys/{id}/pause', { params: { path }, body: {} })
    expect(paused.data?.key.status).toBe('paused')
    const resumed = await client.POST('/keys/{id}/resume', { params: { path }, body: {} })
    expect(resumed.data?.key.status).toBe('active')

    const day = 86_400_000
    const range = {
      from: new Date(Date.now() - day).toISOString(),
      to: new Date().toISOString(),
    }
    await keys.flush()
    const usage = await client.GET('/usage', { params: { query: range } })
    expect(usage.data?.buckets.length).toBeGreaterThan(0)
    const ofKey = await client.GET('/keys/{id}/usage', { params: { path, query: range } })
    expect(ofKey.data?.buckets).toEqual(usage.data?.buckets)

    const rotation = { params: { path }, body: { overlapSeconds: 60 } }
    const rotated = await client.POST('/keys/{id}/rotate', rotation)
    expect(rotated.data?.replaced.status).toBe('retiring')
    const revoked = await client.POST('/keys/{id}/revoke', { params: { path }, body: {} })
    expect(revoked.data?.key.status).toBe('revoked')

    const bulk = await client.POST('/keys/revoke', { body: { creatorId: USER.id, dryRun: true } })
    expect(bulk.data?.revoked).toBe(1)
    const named = await client.GET('/resources/{type}', { params: { path: { type: 'project' } } })
    expect(named.error?.code).toBe('not_found')

    const events = await client.GET('/keys/{id}/events', { params: { path, query: { limit: 2 } } })
    expect(events.data?.events.map(({ type }) => type)).toEqual([
      'api_key.revoked',
      'api_key.rotated',
    ])
  } finally {
    await host.close()
  }
})
