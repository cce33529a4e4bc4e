import { expect, test, vi } from 'vitest'
import { createManagementClient, ManagementError } from '../../adapters/client/index.ts'
import { honestAnswer } from './honest-answers.ts'

const json = (body: unknown, init: ResponseInit = {}) =>
  new Response(JSON.stringify(body), { headers: { 'Content-Type': 'application/json' }, ...init })

const honest = (url: string) => json(honestAnswer(url.split('?')[0] ?? ''))

function clientWith(
  answer: (url: string) => Response | Promise<Response>,
  getHeaders?: () => HeadersInit,
) {
  const fetch = vi.fn<typeof globalThis.fetch>(async (input) => answer(String(input)))
  const client = createManagementClient({
    baseUrl: '/api/settings/api-keys/',
    fetch,
    ...(getHeaders ? { getHeaders } : {}),
  })
  const call = () => ({ url: String(fetch.mock.lastCall?.[0]), init: fetch.mock.lastCall?.[1] })
  return { client, call }
}

async function failureOf(promise: Promise<unknown>): Promise<ManagementError> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof ManagementError) return error
  throw new Error('expected a ManagementError', { cause: error })
}

test('reads ask for nothing but what was asked', async () => {
  const { client, call } = clientWith(honest)
  await client.listKeys()
  expect(call().url).toBe('/api/settings/api-keys/keys')
  await client.listKeys({ status: 'active', environment: 'live', cursor: 'a b', limit: 200 })
  expect(call().url).toBe(
    '/api/settings/api-keys/keys?status=active&environment=live&cursor=a+b&limit=200',
  )
  await client.listScopes()
  expect(call().url).toBe('/api/settings/api-keys/scopes')
  expect(call().init).toMatchObject({
    cache: 'no-store',
    credentials: 'same-origin',
    redirect: 'error',
    referrerPolicy: 'no-referrer',
  })
})

test('changes carry JSON and the headers of the page', async () => {
  let asked = 0
  const { client, call } = clientWith(honest, () => ({ 'X-CSRF-Token': `t${++asked}` }))
  await client.createKey({ name: 'n', environment: 'live', scopes: ['contacts.read'] })
  expect(JSON.parse(String(call().init?.body))).toEqual({
    name: 'n',
    environment: 'live',
    scopes: ['contacts.read'],
  })
  await client.rotateKey('key_1')
  expect(call().url).toBe('/api/settings/api-keys/keys/key_1/rotate')
  expect(await client.revokeKey('key_1')).toMatchObject({ id: 'key_1', status: 'revoked' })
  const headers = new Headers(call().init?.headers)
  expect([headers.get('content-type'), headers.get('x-csrf-token'), call().init?.body]).toEqual([
    'application/json',
    't3',
    '{}',
  ])
  await client.revokeKey('key_1', { reason: 'leaked' })
  expect(call().init?.body).toBe('{"reason":"leaked"}')
})

test('a problem becomes an error with its code, issues and hints', async () => {
  const issues = [{ path: ['name'], code: 'too_long', message: '…' }]
  const { client } = clientWith(() =>
    json(
      { code: 'invalid_input', issues },
      { status: 422, headers: { 'Retry-After': '7', 'X-Request-Id': 'r1' } },
    ),
  )
  expect(await failureOf(client.listKeys())).toMatchObject({
    code: 'invalid_input',
    status: 422,
    issues,
    retryAfterSeconds: 7,
    requestId: 'r1',
  })
})

test.each([
  [401, 'unauthenticated'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [429, 'rate_limited'],
  [502, 'unexpected'],
])('an answer of %i without a problem is %s', async (status, code) => {
  const { client } = clientWith(() => new Response('<h1>proxy</h1>', { status }))
  expect(await failureOf(client.listKeys())).toMatchObject({ code, status, issues: [] })
})

test.each([
  [401, 'UNAUTHORIZED', 'unauthenticated'],
  [403, 'EBADCSRFTOKEN', 'forbidden'],
  [429, 4290, 'rate_limited'],
  [500, 'internal_error', 'internal_error'],
])(
  'an answer of %i with the code %s is %s: only codes of the routes count',
  async (status, code, is) => {
    const { client } = clientWith(() => json({ code }, { status }))
    expect((await failureOf(client.listKeys())).code).toBe(is)
  },
)

test('a read that fails changed nothing; a change that fails may have happened', async () => {
  const { client } = clientWith(() => Promise.reject(new TypeError('Failed to fetch')))
  expect((await failureOf(client.listKeys())).code).toBe('network')
  expect((await failureOf(client.rotateKey('key_1'))).code).toBe('outcome_unknown')
  const { client: cut } = clientWith(() => new Response('{"key":', { status: 201 }))
  expect((await failureOf(cut.rotateKey('key_1'))).code).toBe('outcome_unknown')
})

test('nothing is sent when the headers cannot be had', async () => {
  const { client, call } = clientWith(
    () => json({}),
    () => {
      throw new Error('no token')
    },
  )
  expect((await failureOf(client.rotateKey('key_1'))).code).toBe('network')
  expect(call().init).toBeUndefined()
})

test('a date in Retry-After is understood, nonsense is not', async () => {
  const headersOf = (value: string) => ({ status: 503, headers: { 'Retry-After': value } })
  const soon = new Date(Date.now() + 30_000).toUTCString()
  const { client } = clientWith(() => json({}, headersOf(soon)))
  expect((await failureOf(client.listKeys())).retryAfterSeconds).toBeGreaterThan(25)
  const { client: other } = clientWith(() => json({}, headersOf('later')))
  expect((await failureOf(other.listKeys())).retryAfterSeconds).toBeUndefined()
})

test('a read that the page gave up is its own error, not a failure of the network', async () => {
  const aborted = new AbortController()
  aborted.abort()
  const { client } = clientWith(() => Promise.reject(aborted.signal.reason))
  await expect(client.listKeys({}, { signal: aborted.signal })).rejects.toThrow('aborted')
})

test('a read that is given up while its answer arrives rejects with the reason', async () => {
  const given = new AbortController()
  const reason = new Error('left the page')
  const { client } = clientWith(() => {
    const body = new ReadableStream({
      pull: (stream) => {
        given.abort(reason)
        stream.error(reason)
      },
    })
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'application/json' } }))
  })
  await expect(client.listKeys({}, { signal: given.signal })).rejects.toBe(reason)
})

test('an error carries neither what was sent nor a secret', async () => {
  const { client } = clientWith(() =>
    json({ code: 'forbidden', secret: 'svc_live_x' }, { status: 403 }),
  )
  const error = await failureOf(
    client.createKey({ name: 'my name', environment: 'live', scopes: [] }),
  )
  expect(`${error.stack}${JSON.stringify(error)}`).not.toMatch(/svc_live_x|my name/)
})
