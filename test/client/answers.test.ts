import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  createManagementClient,
  type ListQuery,
  type ManagementClientOptions,
  ManagementError,
} from '../../adapters/client/index.ts'
import { problemCodes } from '../../src/model/problem-codes.ts'
import { keyOf } from '../support/settings-tab/keys.ts'
import { simulateTime } from '../support/simulated-time.ts'
import { errorOf, honestAnswer, noScopes } from './honest-answers.ts'

simulateTime()

afterEach(() => vi.unstubAllGlobals())

type Answer = (url: string) => Response | Promise<Response>

const json = (body: unknown, init: ResponseInit = {}) => new Response(JSON.stringify(body), init)
const honest: Answer = (url) => json(honestAnswer(url.split('?')[0] ?? ''))

/** A client of `/api`, and what it has sent. */
function clientWith(answer: Answer, options: Partial<ManagementClientOptions> = {}) {
  const fetch = vi.fn<typeof globalThis.fetch>(async (input) => answer(String(input)))
  const client = createManagementClient({ baseUrl: '/api', fetch, ...options })
  return { client, fetch, sent: () => fetch.mock.lastCall?.[1] }
}

async function failureOf(answer: Answer, act = 'listKeys'): Promise<ManagementError> {
  const { client } = clientWith(answer)
  const call = act === 'listKeys' ? client.listKeys() : client.rotateKey('key_1')
  return errorOf(call)
}

const SAFELY = {
  ...{ cache: 'no-store', credentials: 'same-origin' },
  ...{ redirect: 'error', referrerPolicy: 'no-referrer' },
}

describe('what is sent', () => {
  test('a read asks for JSON and has no body', async () => {
    const { client, sent } = clientWith(honest)
    await client.listKeys()
    expect(sent()?.method).toBe('GET')
    expect(sent()?.body).toBeUndefined()
    expect([...new Headers(sent()?.headers)]).toEqual([['accept', 'application/json']])
    expect(sent()).toMatchObject(SAFELY)
  })

  test('a change posts JSON, by the same rules as a read', async () => {
    const { client, sent } = clientWith(honest)
    await client.revokeKey('key_1')
    expect(sent()).toMatchObject({ method: 'POST', body: '{}', ...SAFELY })
    expect([...new Headers(sent()?.headers)]).toEqual([
      ['accept', 'application/json'],
      ['content-type', 'application/json'],
    ])
  })

  test('with every change, the headers of the page, computed each time', async () => {
    let asked = 0
    const getHeaders = () => ({ 'X-CSRF-Token': `t${++asked}` })
    const { client, sent } = clientWith(honest, { getHeaders })
    const body = { name: 'n', environment: 'live', scopes: ['contacts.read'] } as const
    await client.createKey(body)
    expect(JSON.parse(String(sent()?.body))).toEqual(body)
    await client.rotateKey('key_1')
    await client.revokeKey('key_1', { reason: 'leaked' })
    expect(sent()?.body).toBe('{"reason":"leaked"}')
    expect(new Headers(sent()?.headers).get('x-csrf-token')).toBe('t3')
  })

  test.each(['/api', '/api/', '/api///'])('below %s', async (baseUrl) => {
    const { client, fetch } = clientWith(honest, { baseUrl })
    await client.createKey({ name: 'n', environment: 'live', scopes: [] })
    await client.rotateKey('key_1')
    await client.revokeKey('key_1')
    await client.listKeys({ cursor: 'c' })
    expect(fetch.mock.calls.map(([url]) => url)).toEqual([
      '/api/keys',
      '/api/keys/key_1/rotate',
      '/api/keys/key_1/revoke',
      '/api/keys?cursor=c',
    ])
  })

  test('each filter, and none that is undefined', async () => {
    const { client, fetch } = clientWith(honest)
    await client.listKeys({ status: 'active', environment: 'live', cursor: 'a b', limit: 200 })
    expect(fetch.mock.lastCall?.[0]).toBe(
      '/api/keys?status=active&environment=live&cursor=a+b&limit=200',
    )
    await client.listKeys({ status: undefined, limit: 7 } as unknown as ListQuery)
    expect(fetch.mock.lastCall?.[0]).toBe('/api/keys?limit=7')
  })

  test('slashes inside stay', async () => {
    const { client, fetch } = clientWith(honest, { baseUrl: 'https://a.example//api' })
    await client.listScopes()
    expect(fetch.mock.lastCall?.[0]).toBe('https://a.example//api/scopes')
  })

  test('the signal of a read goes along, on either read', async () => {
    const { signal } = new AbortController()
    const { client, sent } = clientWith(honest)
    await client.listKeys({}, { signal })
    expect(sent()?.signal).toBe(signal)
    await client.listScopes({ signal })
    expect(sent()?.signal).toBe(signal)
  })

  test('the workspace that the page shows goes along, on every call that names it', async () => {
    const shown = { workspaceId: 'مساحة/1' }
    const { client, sent } = clientWith(() => json({ key: {} }), {
      getHeaders: () => ({ 'Miftah-Workspace': 'of the page' }),
    })
    const header = () => new Headers(sent()?.headers).get('Miftah-Workspace')
    for (const call of [
      () => client.listKeys({}, shown),
      () => client.listScopes(shown),
      () => client.createKey({ name: 'n', environment: 'live', scopes: [] }, shown),
      () => client.rotateKey('key_1', shown),
      () => client.revokeKey('key_1', shown),
    ]) {
      await Promise.allSettled([call()])
      expect(header()).toBe('%D9%85%D8%B3%D8%A7%D8%AD%D8%A9%2F1')
    }
    await Promise.allSettled([client.listKeys()])
    expect(header()).toBe('of the page')
  })

  test('a workspace that no header can carry keeps the call from leaving', async () => {
    const { client, fetch } = clientWith(() => json({}))
    const call = client.revokeKey('key_1', { workspaceId: '\ud800' })
    await expect(call).rejects.toMatchObject({ code: 'network' })
    expect(fetch).not.toHaveBeenCalled()
  })

  test('by the global fetch where no other is given', async () => {
    const fetch = vi.fn(async () => json(noScopes))
    vi.stubGlobal('fetch', fetch)
    const client = createManagementClient({ baseUrl: '/api' })
    expect(await client.listScopes()).toEqual(noScopes)
    expect(fetch).toHaveBeenCalledOnce()
  })

  test('nothing while the browser knows that it is offline', async () => {
    vi.stubGlobal('navigator', { onLine: false })
    const { client, fetch } = clientWith(honest)
    await expect(client.rotateKey('key_1')).rejects.toMatchObject({ code: 'network' })
    expect(fetch).not.toHaveBeenCalled()
    vi.stubGlobal('navigator', { onLine: true })
    await client.listKeys()
    expect(fetch).toHaveBeenCalledOnce()
  })

  test('and nothing where the headers cannot be had: the cause says why', async () => {
    const cause = new Error('no token')
    const { client } = clientWith(honest, { getHeaders: () => Promise.reject(cause) })
    await expect(client.listKeys()).rejects.toMatchObject({ code: 'network', cause })
  })
})

describe('what a refusal becomes', () => {
  test('an error that a program makes itself says no more than it was given', () => {
    const error = new ManagementError('network')
    expect(error).toMatchObject({ code: 'network', issues: [], status: undefined })
    expect(error.cause).toBeUndefined()
  })

  test.each(Object.keys(problemCodes))('the code %s of the routes is its code', async (code) => {
    const error = await failureOf(() => json({ code }, { status: 418 }))
    expect(error).toMatchObject({
      name: 'ManagementError',
      message: `The management call failed: ${code}`,
      code,
      status: 418,
      issues: [],
    })
  })

  test('a key that a refusal names goes along; anything else in its place is dropped', async () => {
    const key = keyOf({ id: 'key_1' })
    const refused = (named: unknown) => () => json({ code: 'stale', key: named }, { status: 412 })
    expect((await failureOf(refused(key))).key).toEqual(key)
    for (const odd of [null, 7, { id: null }]) {
      expect(await failureOf(refused(odd))).not.toHaveProperty('key', expect.anything())
    }
  })

  test.each([
    [401, 'UNAUTHORIZED', 'unauthenticated'],
    [403, 'EBADCSRFTOKEN', 'forbidden'],
    [429, 4290, 'rate_limited'],
  ])('%i with the code %s is %s: only codes of the routes count', async (status, code, is) => {
    expect((await failureOf(() => json({ code }, { status }))).code).toBe(is)
  })

  test('an error carries neither what was sent nor a secret', async () => {
    const refusal = { code: 'forbidden', secret: 'svc_live_x' }
    const { client } = clientWith(() => json(refusal, { status: 403 }))
    const call = client.createKey({ name: 'my name', environment: 'live', scopes: [] })
    const error = await errorOf(call)
    expect(`${error.stack}${JSON.stringify(error)}`).not.toMatch(/svc_live_x|my name/)
  })

  test.each([
    [401, 'unauthenticated'],
    [403, 'forbidden'],
    [404, 'not_found'],
    [422, 'invalid_input'],
    [429, 'rate_limited'],
    [500, 'unexpected'],
  ])('without a code %i is %s', async (status, code) => {
    for (const body of [null, {}, 7, { issues: 'none' }]) {
      expect(await failureOf(() => json(body, { status }))).toMatchObject({ code, issues: [] })
    }
  })

  test.each([408, 500, 502, 503, 504, 520])(
    'the %i of a gateway leaves the outcome of a change unknown, and a read without an answer',
    async (status) => {
      const gateway = () => new Response('<h1>Bad gateway</h1>', { status })
      const error = await failureOf(gateway, 'rotateKey')
      expect(error).toMatchObject({ code: 'outcome_unknown', status })
      expect((await failureOf(gateway)).code).toBe('unexpected')
    },
  )

  test.each([
    [400, 'unexpected'],
    [413, 'unexpected'],
    [429, 'rate_limited'],
  ])('the %i of a gateway refuses a change: %s', async (status, code) => {
    const error = await failureOf(() => new Response('no', { status }), 'rotateKey')
    expect(error).toMatchObject({ code, status })
  })

  test.each([
    [500, 'internal_error'],
    [503, 'storage_unavailable'],
  ])('a change that the routes answer with %i is %s, as they say', async (status, code) => {
    expect((await failureOf(() => json({ code }, { status }), 'rotateKey')).code).toBe(code)
  })

  test('issues of another form are dropped, and the others stay', async () => {
    const issue = { path: ['scopes', 0], code: 'unknown_scope', message: 'is unknown' }
    const odd = [
      null,
      7,
      'name',
      {},
      { ...issue, path: 'name' },
      { ...issue, path: [null] },
      { ...issue, path: undefined },
      { ...issue, code: 7 },
      { ...issue, message: null },
    ]
    const body = { code: 'invalid_input', issues: [...odd, issue] }
    const error = await failureOf(() => json(body, { status: 422 }), 'rotateKey')
    expect(error).toMatchObject({ code: 'invalid_input', issues: [issue] })
  })

  test.each([
    ['12', 12],
    ['0', 0],
    ['Sun Nov  6 08:49:37 1994', 0],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
    ['soon', undefined],
    ['', undefined],
    ['86400', 86_400],
    ['86401', 86_400],
    ['9'.repeat(40), 86_400],
    ['9'.repeat(400), 86_400],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 86_400],
    [undefined, undefined],
  ])('Retry-After %j is %j seconds', async (value, seconds) => {
    const headers: HeadersInit = value === undefined ? {} : { 'Retry-After': value }
    const error = await failureOf(() => json({}, { status: 503, headers }))
    expect(error.retryAfterSeconds).toBe(seconds)
    expect(error.requestId).toBeUndefined()
  })

  test('a date that is to come is rounded up to whole seconds', async () => {
    const headers = { 'Retry-After': new Date(Date.now() + 89_001).toISOString() }
    const { retryAfterSeconds } = await failureOf(() => json({}, { status: 503, headers }))
    expect(retryAfterSeconds).toBe(90)
  })
})

describe('what an answer that never came whole becomes', () => {
  const failed = new TypeError('terminated')
  const cut = () => {
    const body = new ReadableStream({ start: (stream) => stream.error(failed) })
    return new Response(body, { status: 201, headers: { 'X-Request-Id': 'r1' } })
  }

  test.each([
    ['listKeys', 'network'],
    ['rotateKey', 'outcome_unknown'],
  ])('%s: %s, with what is known of the answer', async (act, code) => {
    const error = await failureOf(cut, act)
    expect(error).toMatchObject({ code, status: 201, requestId: 'r1', cause: failed })
    const cause = new TypeError('Failed to fetch')
    expect(await failureOf(() => Promise.reject(cause), act)).toMatchObject({ code, cause })
  })

  test('a read that is given up while its answer arrives rejects with the reason', async () => {
    const given = new AbortController()
    const reason = new Error('left the page')
    const { client } = clientWith(() => {
      const pull = (stream: ReadableStreamDefaultController) => {
        given.abort(reason)
        stream.error(reason)
      }
      return new Response(new ReadableStream({ pull }))
    })
    await expect(client.listKeys({}, { signal: given.signal })).rejects.toBe(reason)
  })

  test('a signal that nobody has used changes nothing', async () => {
    const { signal } = new AbortController()
    for (const answer of [cut, () => Promise.reject(new TypeError('Failed to fetch'))]) {
      const { client } = clientWith(answer)
      const call = client.listKeys({}, { signal })
      await expect(call).rejects.toMatchObject({ code: 'network' })
    }
  })
})
