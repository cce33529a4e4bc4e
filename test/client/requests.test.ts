import { afterEach, describe, expect, test, vi } from 'vitest'
import { createManagementClient, type ManagementClient } from '../../adapters/client/index.ts'
import { clientWith, errorOf, good } from './clients.ts'

afterEach(() => vi.unstubAllGlobals())

const BODY = { name: 'n', environment: 'live', scopes: ['contacts.read'] } as const
const RANGE = { from: '2026-01-01T00:00:00Z', to: '2026-01-01T01:00:00Z' }
const LIST = { status: ['active', 'paused'], cursor: 'a b', limit: undefined as never } as const
const OF = { workspaceId: 'مساحة/1' }

type Ask = (client: ManagementClient) => Promise<unknown>

test.each<[line: string, ask: Ask, body?: object]>([
  ['GET /keys', (client) => client.listKeys({}, OF)],
  ['GET /keys?status=active&status=paused&cursor=a+b', (client) => client.listKeys(LIST, OF)],
  ['GET /scopes', (client) => client.listScopes(OF)],
  ['GET /resources/a%2Fb?search=x', (client) => client.listResources('a/b', { search: 'x' }, OF)],
  [`GET /usage?${new URLSearchParams(RANGE)}`, (client) => client.getUsage(RANGE, OF)],
  [
    `GET /keys/key_1/usage?${new URLSearchParams(RANGE)}`,
    (client) => client.getKeyUsage('key_1', RANGE, OF),
  ],
  ['GET /keys/key_1/events', (client) => client.getKeyEvents('key_1', {}, OF)],
  ['GET /keys/key_1', (client) => client.getKey('key_1', OF)],
  ['POST /keys', (client) => client.createKey(BODY, OF), BODY],
  ['PATCH /keys/key_1', (client) => client.updateKey('key_1', 3, { name: 'n' }, OF), { name: 'n' }],
  ['POST /keys/key_1/pause', (client) => client.pauseKey('key_1', OF), {}],
  ['POST /keys/key_1/resume', (client) => client.resumeKey('key_1', OF), {}],
  [
    'POST /keys/key_1/rotate',
    (client) => client.rotateKey('key_1', { ...OF, overlapSeconds: 7 }),
    { overlapSeconds: 7 },
  ],
  [
    'POST /keys/key_1/revoke',
    (client) => client.revokeKey('key_1', { ...OF, reason: 'leaked' }),
    { reason: 'leaked' },
  ],
  ['POST /keys/revoke', (client) => client.revokeKeys({ creatorId: 'u' }, OF), { creatorId: 'u' }],
])('%s', async (line, ask, body) => {
  let asked = 0
  const getHeaders = () => ({ 'X-CSRF-Token': `t${++asked}`, 'Miftah-Workspace': 'of the page' })
  const { client, fetch, sent, headers } = clientWith(good, { getHeaders })
  await ask(client).catch(() => {})
  await ask(client).catch(() => {})
  expect(`${sent()?.method} ${fetch.mock.lastCall?.[0]}`).toBe(line.replace(' ', ' /api'))
  expect(sent()).toMatchObject({
    ...{ cache: 'no-store', credentials: 'same-origin' },
    ...{ redirect: 'error', referrerPolicy: 'no-referrer' },
  })
  expect(sent()?.body).toBe(body && JSON.stringify(body))
  expect(Object.fromEntries(headers())).toEqual({
    ...{ accept: 'application/json', 'x-csrf-token': 't2' },
    'miftah-workspace': '%D9%85%D8%B3%D8%A7%D8%AD%D8%A9%2F1',
    ...(body && { 'content-type': 'application/json' }),
    ...(line.startsWith('PATCH') && { 'if-match': '"3"' }),
  })
})

test('a call that names no workspace leaves that of the page', async () => {
  const getHeaders = () => ({ 'Miftah-Workspace': 'of the page' })
  const { client, headers } = clientWith(good, { getHeaders })
  await client.listKeys()
  expect(headers().get('Miftah-Workspace')).toBe('of the page')
})

describe('nothing is sent', () => {
  test.each(['..', '.', '', '\ud800', 'a\udfff', '../../x', '..\\x', 'a/b', 'a\u0000', 'a\n'])(
    'for the id %j, which would lead to another address',
    async (id) => {
      const { client, fetch } = clientWith(good)
      for (const call of [client.rotateKey(id), client.getKey(id), client.getKeyUsage(id, RANGE)]) {
        expect(await errorOf(call)).toMatchObject({ code: 'key_not_found' })
      }
      expect(fetch).not.toHaveBeenCalled()
    },
  )

  test('for a workspace that no header can carry', async () => {
    const { client, fetch } = clientWith(good)
    const call = client.revokeKey('key_1', { workspaceId: '\ud800' })
    await expect(call).rejects.toMatchObject({ code: 'network' })
    expect(fetch).not.toHaveBeenCalled()
  })

  test('while the browser knows that it is offline', async () => {
    vi.stubGlobal('navigator', { onLine: false })
    const { client, fetch } = clientWith(good)
    await expect(client.rotateKey('key_1')).rejects.toMatchObject({ code: 'network' })
    expect(fetch).not.toHaveBeenCalled()
    vi.stubGlobal('navigator', { onLine: true })
    await client.listKeys()
    expect(fetch).toHaveBeenCalledOnce()
  })

  test('where the headers cannot be had: the cause says why', async () => {
    const cause = new Error('no token')
    const { client, fetch } = clientWith(good, { getHeaders: () => Promise.reject(cause) })
    await expect(client.listKeys()).rejects.toMatchObject({ code: 'network', cause })
    expect(fetch).not.toHaveBeenCalled()
  })
})

test.each([
  ['a?b#c', 'a%3Fb%23c'],
  ['%2e%2e', '%252e%252e'],
  ['...', '...'],
  ['مفتاح', '%D9%85%D9%81%D8%AA%D8%A7%D8%AD'],
])('the id %j is one piece of the address', async (id, piece) => {
  const { client, fetch } = clientWith(good)
  await client.rotateKey(id)
  expect(fetch.mock.lastCall?.[0]).toBe(`/api/keys/${piece}/rotate`)
})

test('the global fetch is used where no other is given', async () => {
  const fetch = vi.fn(good)
  vi.stubGlobal('fetch', fetch)
  await createManagementClient({ baseUrl: '/api' }).listScopes()
  expect(fetch).toHaveBeenCalledOnce()
})

test.each([
  ['', '/keys'],
  ['api', 'api/keys'],
  ['/api///', '/api/keys'],
  ['//host.example/api', '//host.example/api/keys'],
  ['https://a.example//api/', 'https://a.example//api/keys'],
])('below the address %j', async (baseUrl, url) => {
  const { client, fetch } = clientWith(good, { baseUrl })
  await client.listKeys()
  expect(fetch.mock.lastCall?.[0]).toBe(url)
})

test.each([
  ['/api?', 'query'],
  ['/api/#', 'fragment'],
  ['https://user:pw@host.example/api', 'credentials'],
  ['https://user@host.example/api', 'credentials'],
  ['javascript:alert(1)', 'HTTP address'],
  ['xhttp://host.example/api', 'HTTP address'],
  ['httpx://host.example/api', 'HTTP address'],
  ['https://', 'HTTP address'],
  [undefined, 'string'],
])('a client of %j is not made', (value, why) => {
  const make = () => createManagementClient({ baseUrl: value as string })
  expect(make).toThrow(TypeError)
  expect(make).toThrow(why)
  expect(make).not.toThrow('user')
})
