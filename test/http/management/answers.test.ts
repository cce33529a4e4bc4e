import { describe, expect, test } from 'vitest'
import { type ManageKeysFetchOptions, manageKeys } from '../../../adapters/http/fetch.ts'
import { plans } from '../../../src/index.ts'
import { issueKey, testKeys, USER } from '../../support/http/keys.ts'
import { NEW_KEY } from '../../support/http/management-call.ts'

/*
 * What the routes answer, word for word, without a server between. What a host must do to it is in
 * the other files of this room.
 */

const SECURITY = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
}

function open(options: Partial<ManageKeysFetchOptions> = {}) {
  const backend = testKeys()
  const context = () => ({ workspaceId: 'ws_1', user: USER })
  const handler = manageKeys(backend.keys, { context, ...options })
  const call = async (target: string, init: RequestInit = {}) => {
    const [method = '', path = ''] = target.split(' ')
    const body = method === 'POST' ? { body: '{}', ...init }.body : null
    const headers = { 'content-type': 'application/json', ...init.headers }
    const request = new Request(`https://app.example${path}`, { ...init, method, headers, body })
    const response = await handler(request)
    const text = await response.text()
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      json: text === '' ? null : JSON.parse(text),
    }
  }
  return { backend, call }
}

type Call = ReturnType<typeof open>['call']
type Answered = Awaited<ReturnType<Call>>

function expectProblem(
  { status, headers, json }: Answered,
  expected: { status: number; code: string; detail: string; more?: object; headers?: object },
) {
  expect(status).toBe(expected.status)
  expect(headers).toEqual({
    ...SECURITY,
    'content-type': 'application/problem+json',
    ...expected.headers,
  })
  expect(json).toEqual({
    type: `urn:miftah:problem:${expected.code.replaceAll('_', '-')}`,
    title: TITLES[expected.status],
    status: expected.status,
    detail: expected.detail,
    code: expected.code,
    ...expected.more,
  })
}

const UNKNOWN = 'key_000000000000000000000'
const create = (body: unknown) => ({ body: JSON.stringify(body) })

describe('a problem of the routes', () => {
  const DETAILS: Readonly<Record<string, string>> = {
    not_found: 'There is no such route.',
    method_not_allowed: 'This route does not support this method.',
    forbidden: 'Only pages of this site may change keys.',
    unsupported_media_type: 'The body must be uncompressed JSON in UTF-8.',
    bad_request: 'The body is not JSON in UTF-8.',
    too_large: 'The body may have at most 64 KiB.',
    key_not_found: 'There is no such key in this workspace.',
  }
  const sent = (name: string, value: string) => ({ headers: { [name]: value } })
  const json = { accept: 'application/json' }

  test.each([
    ['GET /nothing', {}, 404, 'not_found', {}],
    ['GET /keys/', {}, 404, 'not_found', {}],
    ['GET /x/keys', {}, 404, 'not_found', {}],
    ['DELETE /keys', {}, 405, 'method_not_allowed', { allow: 'GET, HEAD, POST' }],
    ['GET /keys/x/revoke', {}, 405, 'method_not_allowed', { allow: 'POST' }],
    ['POST /keys', sent('sec-fetch-site', 'cross-site'), 403, 'forbidden', {}],
    ...[
      'text/plain',
      'application/json;charset=latin1',
      'application/json; \t charset="utf-16"',
    ].map(
      (type) =>
        ['POST /keys', sent('content-type', type), 415, 'unsupported_media_type', json] as const,
    ),
    ['POST /keys', { body: '{' }, 400, 'bad_request', {}],
    ['POST /keys', { body: '' }, 400, 'bad_request', {}],
    ['POST /keys', sent('content-length', '65537'), 413, 'too_large', {}],
    ['POST /keys', { body: ' '.repeat(65_537) }, 413, 'too_large', {}],
    [`POST /keys/${UNKNOWN}/revoke`, {}, 404, 'key_not_found', {}],
  ] as const)('%s %j: %i', async (target, init, status, code, headers) => {
    const answer = await open().call(target, init)
    expectProblem(answer, { status, code, detail: DETAILS[code] ?? '', headers })
  })

  test('a compressed body', async () => {
    expectProblem(await open().call('POST /keys', sent('content-encoding', 'gzip')), {
      status: 415,
      code: 'unsupported_media_type',
      detail: 'The body must be uncompressed JSON in UTF-8.',
      headers: { 'accept-encoding': 'identity' },
    })
  })

  test.each([
    [null, 401, 'unauthenticated', 'Nobody is signed in.'],
    [undefined, 401, 'unauthenticated', 'Nobody is signed in.'],
    ['forbidden', 403, 'forbidden', 'This user may not manage API keys.'],
  ] as const)('a context of %s: %i', async (answer, status, code, detail) => {
    const { call } = open({ context: () => answer })
    const headers =
      status === 401 ? { 'www-authenticate': 'Session realm="api-key-management"' } : {}
    expectProblem(await call('GET /keys'), { status, code, detail, headers })
  })

  test.each([
    ['workspaceId', {}],
    ['workspaceId', { workspaceId: '', user: USER }],
    ['workspaceId', { workspaceId: true, user: USER }],
    ['user.id', { workspaceId: 'ws_1' }],
    ['user.id', { workspaceId: 'ws_1', user: null }],
    ['user.id', { workspaceId: 'ws_1', user: { id: '', name: 'x' } }],
  ])('a context without %s is the fault of the host: %j', async (field, answer) => {
    const errors: unknown[] = []
    const onError = (error: unknown) => void errors.push(error)
    const { call } = open({ context: () => answer as never, onError })
    const expected = { status: 500, code: 'internal_error', detail: 'Something went wrong here.' }
    expectProblem(await call('GET /keys'), expected)
    const wrong = `"${field}" must be 1 to 255 characters without control characters`
    const message = `manageKeys: the answer of "context" cannot be used: ${wrong}.`
    expect(errors).toEqual([new TypeError(message)])
  })

  test.each([
    [{ workspaceId: 7, user: USER }, '"workspaceId" is a number: give it as text, String(id)'],
    [
      { workspaceId: 'ws_1', user: { id: 7n } },
      '"user.id" is a number: give it as text, String(id)',
    ],
    ['forbiden', 'it is a string, but no "forbidden"'],
    [true, 'it is a boolean, but no "forbidden"'],
  ])('a context that is no session is named for what it is: %o', async (answer, wrong) => {
    const errors: unknown[] = []
    const onError = (error: unknown) => void errors.push(error)
    await open({ context: () => answer as never, onError }).call('GET /keys')
    const message = `manageKeys: the answer of "context" cannot be used: ${wrong}.`
    expect(errors).toEqual([new TypeError(message)])
  })

  test.each([
    ['"user.name" must be a string', { id: 'u_1', name: 7 }],
    ['"user.id" must not begin with "miftah:"', { id: 'miftah:system', name: 'x' }],
  ])('a context is the fault of the host whose %s', async (wrong, user) => {
    const errors: unknown[] = []
    const onError = (error: unknown) => void errors.push(error)
    const context = () => ({ workspaceId: 'ws_1', user }) as never
    expect((await open({ context, onError }).call('GET /keys')).status).toBe(500)
    const message = `manageKeys: the answer of "context" cannot be used: ${wrong}.`
    expect(errors).toEqual([new TypeError(message)])
  })

  test('and is not in the answer to a fault of the client', async () => {
    const errors: unknown[] = []
    const onError = (error: unknown) => void errors.push(error)
    const user = { id: 'u\0', name: 'x' }
    const nobody = open({ context: () => ({ workspaceId: 'ws_1', user }), onError })
    const nowhere = open({ context: () => ({ workspaceId: 'ws\0', user: USER }), onError })
    const answers = [
      await nobody.call('POST /keys', create(NEW_KEY)),
      await nobody.call('POST /keys', create({ ...NEW_KEY, name: '' })),
      await nobody.call(`POST /keys/${UNKNOWN}/rotate`),
      await nobody.call(`POST /keys/${UNKNOWN}/revoke`),
      await nowhere.call('GET /keys?limit=0'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([500, 500, 500, 500, 500])
    expect(errors).toHaveLength(5)
  })

  test('an outage', async () => {
    const { backend, call } = open()
    backend.outage = true
    expectProblem(await call('GET /keys'), {
      status: 503,
      code: 'storage_unavailable',
      detail: 'API keys cannot be managed right now.',
      headers: { 'retry-after': '1' },
    })
  })

  test('a plan without the API, a limit, a revoked key', async () => {
    const { backend, call } = open()
    const { key } = await issueKey(backend)
    backend.plans.set('ws_1', plans.none)
    expectProblem(await call('POST /keys', create(NEW_KEY)), {
      status: 403,
      code: 'plan_required',
      detail: 'The plan of the workspace does not include the public API.',
    })
    backend.plans.set('ws_1', { publicApi: true, activeKeyLimit: 1 })
    expectProblem(await call('POST /keys', create(NEW_KEY)), {
      status: 409,
      code: 'active_key_limit_reached',
      detail: 'The workspace has reached its active-key limit.',
      more: { activeKeys: 1, activeKeyLimit: 1 },
    })
    await call(`POST /keys/${key.id}/revoke`)
    expectProblem(await call(`POST /keys/${key.id}/rotate`), {
      status: 409,
      code: 'key_revoked',
      detail: 'The key is revoked.',
    })
  })
})

describe('a problem with the input', () => {
  const unknown = (name: string) => ({
    path: [name],
    code: 'unknown_field',
    message: 'is not a known parameter.',
  })
  const twice = (name: string) => ({
    path: [name],
    code: 'repeated',
    message: 'must be given once.',
  })
  const broken = { path: [], code: 'invalid_value', message: 'the query has an invalid escape.' }
  const noFields = {
    path: [],
    code: 'invalid_type',
    message: 'must be an object without fields.',
  }
  const key = `/keys/${UNKNOWN}/rotate`
  const pause = `/keys/${UNKNOWN}/pause`
  const revoke = `/keys/${UNKNOWN}/revoke`
  test.each([
    ['GET /keys?limit=1&limit=2', {}, [twice('limit')]],
    ['GET /keys?scope=a&scope=b&cursor=&cursor=', {}, [twice('scope'), twice('cursor')]],
    ['GET /keys?unusedForDays=x', {}, [{ path: ['unusedForDays'], code: 'invalid_type' }]],
    ['GET /keys?status=gone', {}, [{ path: ['status'], code: 'invalid_value' }]],
    ['GET /keys?status=', {}, [{ path: ['status'], code: 'invalid_value' }]],
    ['GET /keys?environment=LIVE', {}, [{ path: ['environment'], code: 'invalid_value' }]],
    ['GET /keys?limit=0', {}, [{ path: ['limit'], code: 'out_of_range' }]],
    ['GET /keys?limit=201', {}, [{ path: ['limit'], code: 'out_of_range' }]],
    ['GET /keys?limit=', {}, [{ path: ['limit'], code: 'invalid_type' }]],
    ['GET /keys?limit=%D9%A1', {}, [{ path: ['limit'], code: 'invalid_type' }]],
    ['GET /keys?cursor=', {}, [{ path: ['cursor'], code: 'invalid_value' }]],
    ['GET /keys?cursor=%00', {}, [{ path: ['cursor'], code: 'invalid_value' }]],
    [
      'GET /keys?cursor=key_000000000000000000000',
      {},
      [{ path: ['cursor'], code: 'invalid_value' }],
    ],
    ['GET /keys?status=active&status=x', {}, [{ path: ['status', 1], code: 'invalid_value' }]],
    [
      'GET /keys?environment=live&environment=live',
      {},
      [{ path: ['environment'], code: 'repeated' }],
    ],
    ['GET /keys?scope=canary', {}, [{ path: ['scope'], code: 'unknown_scope' }]],
    ['GET /keys?search=%20', {}, [{ path: ['search'], code: 'required' }]],
    ['GET /keys?unusedForDays=0', {}, [{ path: ['unusedForDays'], code: 'out_of_range' }]],
    ['GET /keys?workspaceId=ws_2', {}, [{ path: ['workspaceId'], code: 'unknown_field' }]],
    ['GET /keys?__proto__=1', {}, [{ path: ['__proto__'], code: 'unknown_field' }]],
    ['GET /keys?status=%FF', {}, [{ path: [], code: 'invalid_value' }]],
    ['GET /keys?hash=1', {}, [unknown('hash')]],
    ['GET /keys?canary=1', {}, [{ path: [], code: 'unknown_field' }]],
    ['GET /keys?%ZZ', {}, [broken]],
    ['GET /scopes?id=1', {}, [unknown('id')]],
    ['GET /keys?limit=1e1', {}, [{ path: ['limit'], code: 'invalid_type' }]],
    ['GET /keys?limit=x1', {}, [{ path: ['limit'], code: 'invalid_type' }]],
    ['GET /keys?limit=1234567890', {}, [{ path: ['limit'], code: 'invalid_type' }]],
    ['POST /keys?id=1', create(NEW_KEY), [unknown('id')]],
    [`POST ${key}?id=1`, {}, [unknown('id')]],
    [`POST ${pause}`, { body: '[]' }, [noFields]],
    [`POST ${pause}`, { body: 'null' }, [noFields]],
    [`POST ${pause}`, { body: '7' }, [noFields]],
    [`POST ${revoke}`, { body: 'null' }, [{ path: [], code: 'invalid_type' }]],
    [`POST ${revoke}`, { body: '{"reason":1}' }, [{ path: ['reason'], code: 'invalid_type' }]],
    [`POST ${key}`, { body: 'null' }, [{ path: [], code: 'invalid_type' }]],
    [`POST ${key}`, { body: '[]' }, [{ path: [], code: 'invalid_type' }]],
    [
      `POST ${key}`,
      { body: '{"name":1}' },
      [{ path: ['name'], code: 'unknown_field', message: 'is not a known field.' }],
    ],
    [
      'POST /keys',
      create({ ...NEW_KEY, creator: 1, made_up_1: 1, made_up_2: 2 }),
      [
        { path: ['creator'], code: 'unknown_field', message: 'is not a known field.' },
        { path: [], code: 'unknown_field', message: 'is not a known field.' },
      ],
    ],
  ])('%s %j', async (target, init, issues) => {
    const { status, json } = await open().call(target, init)
    expect(status).toBe(422)
    expect(json).toMatchObject({
      code: 'invalid_input',
      detail: 'The input is not valid.',
      issues,
    })
    expect(json.issues).toHaveLength(issues.length)
  })

  test.each([
    ...['id', 'workspaceId', 'name', 'environment', 'scopes', 'prefix', 'hash', 'secret'],
    ...['creator', 'actor', 'createdAt', 'lastUsedAt', 'uses', 'status', 'revokedAt', 'replaces'],
    ...['replacedBy', 'cursor', 'limit', '__proto__', 'constructor', 'prototype'],
  ])('says the name %s back, which is nobody’s secret', async (name) => {
    const { status, json } = await open().call(`GET /scopes?${name}=1`)
    expect([status, json.issues]).toEqual([422, [unknown(name)]])
  })

  test('names 50 parameters at most', async () => {
    const names = `${Array.from({ length: 60 }, (_, at) => `x${at}=1`).join('&')}&hash=1`
    for (const path of ['/keys', '/scopes']) {
      const { json } = await open().call(`GET ${path}?${names}`)
      // None of them is said back, and the same is not said twice.
      expect(json.issues).toEqual([{ ...unknown('x'), path: [] }])
    }
  })
})

describe('what went well', () => {
  test('is the key as it is on the wire, and where it is', async () => {
    const { call } = open({ basePath: '/api/settings' })
    const made = await call('POST /api/settings/keys', create(NEW_KEY))
    const { key, secret } = made.json
    expect(made.status).toBe(201)
    expect(made.headers).toEqual({
      ...SECURITY,
      'content-type': 'application/json',
      location: `/api/settings/keys/${key.id}`,
    })
    expect(Object.keys(made.json)).toEqual(['key', 'secret'])
    expect(key).toEqual({
      ...NEW_KEY,
      id: expect.stringMatching(/^key_/),
      workspaceId: 'ws_1',
      prefix: secret.slice(0, 12),
      creator: USER,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      lastUsedAt: null,
      uses: 0,
      status: 'active',
      version: 1,
      updatedAt: key.createdAt,
      expiresAt: null,
      pausedAt: null,
      pausedBy: null,
      retiresAt: null,
      revokedAt: null,
      replaces: null,
      replacedBy: null,
      format: null,
      note: null,
      resources: {},
      networks: 'any',
      withinGrant: true,
    })
    const rotated = await call(`POST /api/settings/keys/${key.id}/rotate`, { body: '' })
    expect(rotated.status).toBe(201)
    expect(rotated.headers['location']).toBe(`/api/settings/keys/${rotated.json.key.id}`)
    expect(rotated.json).toMatchObject({
      key: { replaces: key.id },
      replaced: { id: key.id, status: 'revoked', replacedBy: rotated.json.key.id },
    })
    expect(rotated.json.replaced.revokedAt).toBe(rotated.json.key.createdAt)
    const list = await call('GET /api/settings/keys?limit=1&status=active')
    expect(list.json).toMatchObject({ keys: [{ id: rotated.json.key.id }], activeKeys: 1 })
  })

  test('outside its base path there is nothing', async () => {
    const { call } = open({ basePath: '/api/settings' })
    const elsewhere = ['/keys', '/api/settings', '/api/settingskeys', '/api/Settings/keys']
    for (const path of [...elsewhere, '/x/api/settings/keys']) {
      expect((await call(`GET ${path}`)).status).toBe(404)
    }
  })

  test.each(['nonsense', 'https://app.example/'])('refuses the origin %s', (origin) => {
    expect(() => open({ allowedOrigins: [origin] })).toThrow(
      new TypeError('manageKeys: "allowedOrigins" must be like https://app.example.com.'),
    )
  })
})
