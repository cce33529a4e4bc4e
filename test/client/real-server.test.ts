import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createManagementClient } from '../../adapters/client/index.ts'
import { emptyList, errorOf, honestAnswer, noScopes, oneHour } from './honest-answers.ts'

let server: Server
let baseUrl = ''
let asked: string[] = []
let versions: unknown[] = []
let answer: { readonly type?: string; readonly body: string } | null = null

beforeAll(async () => {
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://server.invalid')
    asked.push(`${request.method} ${request.url}`)
    versions.push(request.headers['if-match'])
    const body = answer?.body ?? JSON.stringify(honestAnswer(pathname))
    response.writeHead(200, { 'Content-Type': answer?.type ?? 'application/json' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/settings`
})
afterAll(() => new Promise((resolve) => server.close(resolve)))
beforeEach(() => {
  asked = []
  versions = []
  answer = null
})

const client = () => createManagementClient({ baseUrl })
const body = { name: 'n', environment: 'live', scopes: ['contacts.read'] } as const
const range = { from: '2026-01-01T00:00:00Z', to: '2026-01-01T01:00:00Z' }
const calls = {
  listKeys: () => client().listKeys(),
  listScopes: () => client().listScopes(),
  createKey: () => client().createKey(body),
  rotateKey: () => client().rotateKey('key_1'),
  revokeKey: () => client().revokeKey('key_1'),
  getKey: () => client().getKey('key_1'),
  getKeyUsage: () => client().getKeyUsage('key_1', range),
  getUsage: () => client().getUsage(range),
  updateKey: () => client().updateKey('key_1', 3, { name: 'n' }),
  pauseKey: () => client().pauseKey('key_1'),
  resumeKey: () => client().resumeKey('key_1'),
}
type Call = keyof typeof calls
const names = Object.keys(calls) as Call[]
const reads: readonly Call[] = ['listKeys', 'listScopes', 'getKey', 'getKeyUsage', 'getUsage']

test.each(names)('%s understands what the routes answer', async (name) => {
  await expect(calls[name]()).resolves.toBeTypeOf('object')
})

test.each([
  ['getKey', 'GET /api/settings/keys/key_1'],
  ['getKeyUsage', `GET /api/settings/keys/key_1/usage?${new URLSearchParams(range)}`],
  ['getUsage', `GET /api/settings/usage?${new URLSearchParams(range)}`],
  ['updateKey', 'PATCH /api/settings/keys/key_1'],
  ['pauseKey', 'POST /api/settings/keys/key_1/pause'],
  ['resumeKey', 'POST /api/settings/keys/key_1/resume'],
] as const)('%s asks %s', async (name, line) => {
  await calls[name]()
  expect(asked).toEqual([line])
  expect(versions).toEqual([name === 'updateKey' ? '"3"' : undefined])
})

const strange = ['null', '7', '"x"', '[]', '{}', '{"key":null}', '{"keys":{},"groups":{}}', '', '{']

test.each(names)('%s tells an answer of another form from a good one', async (name) => {
  const code = reads.includes(name) ? 'unexpected' : 'outcome_unknown'
  for (const text of strange) {
    answer = { body: text }
    expect(await errorOf(calls[name]()), text).toMatchObject({ code, status: 200 })
  }
  answer = { type: 'text/html', body: '<!doctype html><title>Sign in</title>' }
  expect(await errorOf(calls[name]())).toMatchObject({ code, status: 200 })
})

test.each([
  ['createKey', { secret: '' }],
  ['createKey', { secret: null }],
  ['createKey', { key: { id: 7 } }],
  ['rotateKey', { replaced: null }],
  ['rotateKey', { secret: undefined }],
  ['revokeKey', { key: { id: 'key_1', status: 'active' } }],
  ['revokeKey', { key: { id: 'key_2', status: 'revoked' } }],
  ['pauseKey', { key: { id: 'key_1', status: 'active' } }],
  ['pauseKey', { key: { id: 'key_2', status: 'paused' } }],
  ['resumeKey', { key: { id: 'key_2', status: 'active' } }],
  ['updateKey', { key: { id: 'key_2', status: 'active' } }],
] as const)('%s does not take %j for a success', async (name, change) => {
  answer = { body: JSON.stringify({ ...honestBody(name), ...change }) }
  expect(await errorOf(calls[name]())).toMatchObject({
    code: 'outcome_unknown',
    cause: new TypeError('The answer is not one of the management routes'),
  })
})

function honestBody(name: Call): object {
  return honestAnswer(`/${name.replace('Key', '')}`) as object
}

test.each([
  { buckets: null },
  { buckets: [null] },
  ...[{ startsAt: 1 }, { endsAt: 1 }, { accepted: '2' }, { denied: null }].map(inBucket),
  inBucket({ denied: { expired: null, insufficient_scope: 1 } }),
])('a count with %j is not one', async (change) => {
  answer = { body: JSON.stringify({ ...oneHour, ...change }) }
  expect(await errorOf(calls.getUsage())).toMatchObject({ code: 'unexpected' })
  expect(await errorOf(calls.getKeyUsage())).toMatchObject({ code: 'unexpected' })
})

function inBucket(change: object) {
  return { buckets: oneHour.buckets.map((bucket) => ({ ...bucket, ...change })) }
}

test.each([
  { keys: null },
  { nextCursor: undefined },
  { nextCursor: 7 },
  { activeKeys: '2' },
  { countedUpTo: undefined },
  { activeKeyLimit: undefined },
  { publicApi: 'yes' },
])('a list with %j is not one', async (change) => {
  answer = { body: JSON.stringify({ ...emptyList, ...change }) }
  expect(await errorOf(calls.listKeys())).toMatchObject({ code: 'unexpected' })
})

test('one odd key does not hide the list that it is in', async () => {
  answer = { body: JSON.stringify({ ...emptyList, keys: [null, { id: 'key_1', name: null }] }) }
  expect((await client().listKeys()).keys).toHaveLength(2)
})

const label = { en: 'Contacts' }

test.each([
  [{ id: 'contacts', label, scopes: null }],
  [{ id: 'contacts', label: null, scopes: [] }],
  [{ id: 7, label, scopes: [] }],
  [{ id: 'contacts', label, scopes: [{ scope: 'contacts.read', label: { en: null } }] }],
  [{ id: 'contacts', label, scopes: [{ scope: null, label }] }],
  [null],
])('a catalogue with the group %j is not one', async (group) => {
  answer = { body: JSON.stringify({ groups: [group] }) }
  expect(await errorOf(calls.listScopes())).toMatchObject({ code: 'unexpected' })
})

test('a catalogue with groups and scopes in two languages is one', async () => {
  const names = { en: 'Contacts', ar: 'جهات الاتصال' }
  const scopes = [{ scope: 'contacts.read', label: names }]
  const groups = [{ id: 'contacts', label: names, scopes }]
  answer = { body: JSON.stringify({ ...noScopes, groups }) }
  await expect(calls.listScopes()).resolves.toEqual({ groups })
  for (const odd of [{ ar: null }, null]) {
    const oddLabel = odd === null ? null : { ...names, ...odd }
    answer = { body: JSON.stringify({ groups: [{ ...groups[0], label: oddLabel }] }) }
    expect(await errorOf(calls.listScopes())).toMatchObject({ code: 'unexpected' })
    answer = {
      body: JSON.stringify({
        groups: [{ ...groups[0], scopes: [{ ...scopes[0], label: oddLabel }] }],
      }),
    }
    expect(await errorOf(calls.listScopes())).toMatchObject({ code: 'unexpected' })
  }
})

test('an error quotes nothing of an answer that cannot be read', async () => {
  answer = { body: '{"key":{"id":"key_1"},"secret":"svc_live_k00TESTONLYdoNOTuse' }
  const { message, cause } = await errorOf(calls.createKey())
  expect(`${message} ${cause}`).not.toContain('svc_live')
  answer = { body: 'svc_live_k00TESTONLYdoNOTuse' }
  expect(String((await errorOf(calls.createKey())).cause)).not.toContain('svc_live')
})

test.each(['..', '.', '', '\ud800', 'a\udfff', '../../x', '..\\x', 'a/b', 'a\u0000', 'a\n'])(
  'the id %j leads to no other address: nothing is sent',
  async (id) => {
    expect(await errorOf(client().rotateKey(id))).toMatchObject({ code: 'key_not_found' })
    expect(await errorOf(client().revokeKey(id))).toMatchObject({ code: 'key_not_found' })
    expect(asked).toEqual([])
  },
)

test.each([
  ['a?b#c', 'a%3Fb%23c'],
  ['%2e%2e', '%252e%252e'],
  ['...', '...'],
  ['مفتاح', '%D9%85%D9%81%D8%AA%D8%A7%D8%AD'],
])('the id %j is one piece of the address', async (id, piece) => {
  await client().rotateKey(id)
  expect(asked).toEqual([`POST /api/settings/keys/${piece}/rotate`])
})

test.each([
  ['/api?tenant=1', 'query'],
  ['/api?', 'query'],
  ['/api#keys', 'fragment'],
  ['/api/#', 'fragment'],
  ['https://user:pw@host.example/api', 'credentials'],
  ['https://user@host.example/api', 'credentials'],
  ['javascript:alert(1)', 'HTTP address'],
  ['ftp://host.example/api', 'HTTP address'],
  ['xhttp://host.example/api', 'HTTP address'],
  ['httpx://host.example/api', 'HTTP address'],
  ['https://', 'HTTP address'],
  [undefined, 'string'],
  [null, 'string'],
])('a client of %j is not made', (value, why) => {
  const make = () => createManagementClient({ baseUrl: value as string })
  expect(make).toThrow(TypeError)
  expect(make).toThrow(why)
  expect(make).not.toThrow('user')
})

test.each(['', '/', 'api', './api', '/api/', 'https://host.example', '//host.example/api'])(
  'a client of %j is made',
  (value) => {
    expect(createManagementClient({ baseUrl: value })).toHaveProperty('listKeys')
  },
)
