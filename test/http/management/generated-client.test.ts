import createClient from 'openapi-fetch'
import { expect, test } from 'vitest'
import { manageKeys } from '../../../adapters/http/fetch.ts'
import { testKeys, USER } from '../../support/http/keys.ts'
import type { paths } from '../../support/http/openapi-paths.ts'

test('a generated client drives every route', async () => {
  const { keys } = testKeys()
  const manage = manageKeys(keys, { context: () => ({ workspaceId: 'ws_1', user: USER }) })
  const client = createClient<paths>({
    baseUrl: 'https://a.example',
    fetch: (request) => manage(request),
  })
  const header = { 'Miftah-Workspace': 'ws_1' }
  const issued = await client.POST('/keys', {
    params: { header },
    body: { name: 'CRM sync', environment: 'live', scopes: ['contacts.read'] },
  })
  const { key } = issued.data ?? expect.fail('no key')
  const path = { id: key.id }
  const list = await client.GET('/keys', { params: { query: { status: ['active'], limit: 10 } } })
  expect(list.data?.keys).toEqual([key])
  const read = await client.GET('/keys/{id}', { params: { path } })
  const seen = { 'If-Match': read.response.headers.get('etag') ?? '' }
  const update = { params: { path, header: seen }, body: { name: 'Renamed' } }
  expect((await client.PATCH('/keys/{id}', update)).data?.key.name).toBe('Renamed')
  const stale = await client.PATCH('/keys/{id}', update)
  expect(stale.error).toMatchObject({ code: 'stale', key: { name: 'Renamed' } })
  const [from, to] = [Date.now() - 3_600_000, Date.now()].map((ms) => new Date(ms).toISOString())
  const query = { from: `${from}`, to: `${to}` }
  const answers = [
    await client.GET('/scopes', { params: { header } }),
    await client.POST('/keys/{id}/pause', { params: { path }, body: {} }),
    await client.POST('/keys/{id}/resume', { params: { path }, body: {} }),
    await client.GET('/usage', { params: { query } }),
    await client.GET('/keys/{id}/usage', { params: { path, query } }),
    await client.POST('/keys/{id}/rotate', { params: { path }, body: { overlapSeconds: 60 } }),
    await client.POST('/keys/{id}/revoke', { params: { path }, body: {} }),
    await client.POST('/keys/revoke', { body: { creatorId: USER.id, dryRun: true } }),
    await client.GET('/keys/{id}/events', { params: { path, query: { limit: 2 } } }),
  ]
  expect(answers.map(({ error }) => error)).toEqual(answers.map(() => undefined))
  const named = await client.GET('/resources/{type}', { params: { path: { type: 'project' } } })
  expect(named.error?.code).toBe('not_found')
})
