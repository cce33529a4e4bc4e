import { describe, expect, test } from 'vitest'
import { createManagementClient } from '../../../adapters/client/index.ts'
import { manageKeys } from '../../../adapters/http/fetch.ts'
import { answerSchemas } from '../../../adapters/http/lib/management/wire/answers.ts'
import { defaultCatalogue } from '../../../src/index.ts'
import { hostForEach } from '../../support/http/host-for.ts'
import { issueKey, type TestKeys, testKeys } from '../../support/http/keys.ts'
import { jsonOf, send, verdictOf } from '../../support/http/management-call.ts'
import { anyHost } from '../../support/http/management-hosts.ts'

const schemas = answerSchemas(defaultCatalogue)
const HOUR_MS = 3_600_000
const UNKNOWN = 'key_000000000000000000000'

/** From two hours ago until a minute ahead, which are three hours, or four around a full hour. */
const range = () => ({
  from: new Date(Date.now() - 2 * HOUR_MS).toISOString(),
  to: new Date(Date.now() + 60_000).toISOString(),
})
const queryOf = (query: Record<string, string>) => `?${new URLSearchParams(query)}`

/** A key that was used twice and refused three times. */
async function usedKey(backend: TestKeys) {
  const { key, secret } = await issueKey(backend)
  for (let times = 0; times < 2; times += 1) {
    await backend.keys.authenticate(`Bearer ${secret}`, null)
  }
  for (let times = 0; times < 3; times += 1) {
    await backend.keys.authenticate(`Bearer ${secret}`, 'webhooks.write')
  }
  await backend.keys.flush()
  return key
}

function sumsOf({ buckets }: { readonly buckets: readonly Bucket[] }) {
  const sum = (count: (bucket: Bucket) => number) => buckets.map(count).reduce((a, b) => a + b)
  return [sum(({ accepted }) => accepted), sum(({ denied }) => denied.insufficient_scope)]
}

interface Bucket {
  readonly accepted: number
  readonly denied: { readonly insufficient_scope: number }
}

describe.each(anyHost)('usage in $name', ({ start }) => {
  let backend: TestKeys
  const host = hostForEach(() => {
    backend = testKeys()
    return start(backend.keys)
  })

  test('of a key and of all keys, by hour', async () => {
    const { id } = await usedKey(backend)
    await usedKey(backend)
    const read = async (path: string, query: Record<string, string>) => {
      const response = await send(host.port, { path: path + queryOf(query) })
      expect(response.status).toBe(200)
      return schemas.Usage.parse(jsonOf(response))
    }
    const ofKey = await read(`/keys/${id}/usage`, range())
    expect([3, 4]).toContain(ofKey.buckets.length)
    expect(sumsOf(ofKey)).toEqual([2, 3])
    const ofAll = await read('/usage', range())
    expect(ofAll.buckets[0]?.startsAt).toMatch(/:00:00\.000Z$/)
    expect(sumsOf(ofAll)).toEqual([4, 6])
  })

  test('is that of the session’s workspace', async () => {
    const { id } = await usedKey(backend)
    const path = `/keys/${id}/usage${queryOf(range())}`
    expect(verdictOf(await send(host.port, { path, session: null }))).toBe('401 unauthenticated')
    for (const strange of [UNKNOWN, 'x', '%00']) {
      const response = await send(host.port, { path: path.replace(id, strange) })
      expect(verdictOf(response)).toBe('404 key_not_found')
    }
  })

  test.each([
    [
      {},
      [
        ['from', 'required'],
        ['to', 'required'],
      ],
    ],
    [{ from: '2026-02-30T00:00:00Z' }, [['from', 'invalid_value']]],
    [{ to: '2026-01-01T00:00:00' }, [['to', 'invalid_value']]],
    [
      { from: '2020-01-01T00:00:00+03:00' },
      [
        ['from', 'out_of_range'],
        ['to', 'out_of_range'],
      ],
    ],
    [{ by: 'day' }, [['', 'unknown_field']]],
    [{ limit: '1' }, [['limit', 'unknown_field']]],
    [{ workspaceId: 'ws_2' }, [['workspaceId', 'unknown_field']]],
    [{ id: UNKNOWN }, [['id', 'unknown_field']]],
  ])('%j is 422', async (query, issues) => {
    const { id } = await usedKey(backend)
    const given = Object.keys(query).length === 0 ? {} : { ...range(), ...query }
    for (const path of ['/usage', `/keys/${id}/usage`]) {
      const response = await send(host.port, { path: path + queryOf(given) })
      expect(verdictOf(response)).toBe('422 invalid_input')
      const named = jsonOf(response).issues.map((issue: { path: string[]; code: string }) => [
        issue.path.join('.'),
        issue.code,
      ])
      expect(named).toEqual(issues)
    }
  })

  test('a parameter that is given twice is 422, and another method 405', async () => {
    const twice = `${queryOf(range())}&to=2026-01-01T00:00:00Z`
    const response = await send(host.port, { path: `/usage${twice}` })
    expect(jsonOf(response).issues).toMatchObject([{ path: ['to'], code: 'repeated' }])
    const post = await send(host.port, { method: 'POST', path: '/usage', body: {} })
    expect(verdictOf(post)).toBe('405 method_not_allowed')
  })
})

test('a host without a history says so', async () => {
  const { keys } = testKeys({ usageHistory: false })
  const user = { id: 'u_1', name: 'نورة' }
  const routes = manageKeys(keys, { context: () => ({ workspaceId: 'ws_1', user }) })
  const response = await routes(new Request(`https://host.example/usage${queryOf(range())}`))
  expect([response.status, (await response.json()).code]).toEqual([404, 'usage_not_kept'])
})

describe('the client', () => {
  const backend = testKeys()
  const user = { id: 'u_1', name: 'نورة' }
  const seen: string[] = []
  const routes = manageKeys(backend.keys, {
    context: (_request, operation) => {
      seen.push(operation)
      return { workspaceId: 'ws_1', user }
    },
  })
  const client = createManagementClient({
    baseUrl: 'https://example.com',
    fetch: (input, init) => routes(new Request(input, init)),
  })

  test('reads the usage of a key and of all keys', async () => {
    const { id } = await usedKey(backend)
    expect(sumsOf(await client.getKeyUsage(id, range()))).toEqual([2, 3])
    expect(sumsOf(await client.getUsage(range()))).toEqual([2, 3])
    expect(seen).toEqual(['getKeyUsage', 'getUsage'])
    await expect(client.getKeyUsage(UNKNOWN, range())).rejects.toMatchObject({
      code: 'key_not_found',
    })
    await expect(client.getKeyUsage('../x', range())).rejects.toMatchObject({
      code: 'key_not_found',
    })
  })

  test('lists by every filter', async () => {
    const { key } = await issueKey(backend, 'contacts.write')
    await client.pauseKey(key.id)
    const ids = async (query: Parameters<typeof client.listKeys>[0]) =>
      (await client.listKeys(query)).keys.map(({ id }) => id)
    expect(await ids({ status: ['paused', 'revoked'] })).toEqual([key.id])
    expect(await ids({ status: 'paused' })).toEqual([key.id])
    expect(await ids({ scope: 'contacts.write', search: 'نوره CRM' })).toEqual([key.id])
    expect(await ids({ unusedForDays: 1 })).toEqual([])
    const unknown = client.listKeys({ scope: 'contacts' })
    await expect(unknown).rejects.toMatchObject({ code: 'invalid_input' })
  })
})
