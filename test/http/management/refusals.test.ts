import { STATUS_CODES } from 'node:http'
import { describe, expect, test } from 'vitest'
import { type ContextAnswer, manageKeys } from '../../../adapters/http/fetch.ts'
import { StorageError } from '../../../adapters/storage/lib/storage-error.ts'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { ApiKeyError, createApiKeys, defineResources, plans } from '../../../src/index.ts'
import { issueKey, testKeys, USER } from '../../support/http/keys.ts'
import { NEW_KEY } from '../../support/http/management-call.ts'
import { openRoutes, type RoutesAnswer, type RoutesCall } from '../../support/http/routes.ts'

/*
 * What the routes refuse, word for word, without a server between. That every host does so too is in hosts.test.ts.
 */

const SECURITY = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** Node still has the older phrase for 413 (RFC 9110 §15.5.14). */
const TITLES: Readonly<Record<string, string | undefined>> = {
  ...STATUS_CODES,
  413: 'Content Too Large',
}

const UNKNOWN = 'key_000000000000000000000'
const VALID = JSON.stringify(NEW_KEY)
const typed = (type: string) => ({ headers: { 'content-type': type } })
const from = (headers: Readonly<Record<string, string>>) => ({ headers, body: NEW_KEY })
const bytes = (text: string) => ({ body: Uint8Array.from(Buffer.from(text, 'latin1')) })
const shows = (workspace: string) => ({ headers: { 'miftah-workspace': workspace } })

/** Each refusal: what a call gets, in words, and the headers that come with it. */
const REFUSALS: readonly (readonly [
  verdict: string,
  detail: string,
  headers: Readonly<Record<string, string>>,
  calls: readonly (readonly [target: string, call?: RoutesCall])[],
])[] = [
  [
    '404 not_found',
    'There is no such route.',
    {},
    [
      ...['/', '/nothing', '/keys/', '/x/keys', '/KEYS', '/keys//rotate', '/keys/a/b/rotate'],
      ...['/keys/key_1/', '/keys/key_1/delete', '/scopes/x', '/keys%2Fx', '/resources/none'],
    ].map((path) => [`GET ${path}`] as const),
  ],
  ...[
    [
      'GET, HEAD, POST',
      ['PUT /keys', 'DELETE /keys', 'OPTIONS /keys', 'QUERY /keys', 'patch /keys'],
    ],
    ['POST', ['GET /keys/x/rotate', 'GET /keys/x/revoke', 'PATCH /keys/x/rotate']],
    ['GET, HEAD', ['POST /scopes', 'POST /usage', 'POST /keys/x/events']],
    ['GET, HEAD, PATCH', ['POST /keys/x', 'constructor /keys/x']],
  ].map(
    ([allow, targets]) =>
      [
        '405 method_not_allowed',
        'This route does not support this method.',
        { allow: allow as string },
        // An overridden method is not believed.
        (targets as string[]).map(
          (target) => [target, { headers: { 'x-http-method-override': 'POST' } }] as const,
        ),
      ] as const,
  ),
  [
    '403 forbidden',
    'Only pages of this site may change keys.',
    {},
    [
      ...[
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { 'sec-fetch-site': 'same-origin-ish' },
        { 'sec-fetch-site': 'same-origin, cross-site' },
        { 'sec-fetch-site': 'cross-site', origin: 'https://app.example' },
        ...['null', '', 'file://', 'https://evil.example', 'https://app.example.evil.example'],
        ...['https://sub.app.example', 'https://app.example:444', 'http://admin.example'],
        ...['HTTPS://ADMIN.EXAMPLE', 'https://admin.example.evil.example'],
        'https://app.example, https://evil.example',
      ]
        .map((given) => (typeof given === 'string' ? { origin: given } : given))
        .map((headers) => ['POST /keys', from(headers)] as const),
      ['POST /keys', from({ origin: 'https://evil.example', 'x-forwarded-host': 'evil.example' })],
      ...['PUT /keys', 'PATCH /nothing', 'DELETE /scopes', 'OPTIONS /keys', 'PURGE /keys'].map(
        (target) => [target, { headers: { 'sec-fetch-site': 'cross-site' } }] as const,
      ),
      // Before the session, which would fail.
      ['POST /keys', { ...from({ 'sec-fetch-site': 'cross-site' }), session: 'crash' }],
    ],
  ],
  [
    '401 unauthenticated',
    'Nobody is signed in.',
    { 'www-authenticate': 'Session realm="api-key-management"' },
    [
      ['GET /keys', { session: null }],
      ['GET /keys', { session: 'mallory' }],
      ['GET /keys', { session: null, ...shows('ws_2') }],
      ['POST /keys', { session: null, body: '{' }],
      [`PATCH /keys/${UNKNOWN}`, { session: null, body: '{' }],
    ],
  ],
  [
    '403 forbidden',
    'This user may not manage API keys.',
    {},
    [
      ['POST /keys', { session: 'viewer', body: NEW_KEY }],
      ['POST /keys', { session: 'viewer', body: '[]', ...shows('ws_2') }],
      [`GET /keys/${UNKNOWN}/events`, { session: 'viewer' }],
    ],
  ],
  [
    '409 workspace_changed',
    'The session is in a different workspace from the page. Nothing was done.',
    {},
    [
      ...['ws_2', '', '%', '%FF', 'WS_1', 'ws_1, ws_1', 'ws_2, ws_1'].map(
        (workspace) => ['GET /keys', shows(workspace)] as const,
      ),
      ['POST /keys?x=1', { body: '[]', ...shows('ws_2') }],
      [`POST /keys/${UNKNOWN}/revoke`, { session: 'reader', ...shows('ws_2') }],
    ],
  ],
  [
    '415 unsupported_media_type',
    'The body must be uncompressed JSON in UTF-8.',
    { accept: 'application/json' },
    [
      ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'],
      ...[
        'application/json-patch+json',
        'application/problem+json',
        'application/jsonx',
        '*/*',
        '',
      ],
      ...['text/json', 'text/plain; application/json', 'application/json, text/plain', 'canary'],
      ...['application/json;charset=latin1', 'application/json; \t charset="utf-16"'],
    ].map((type) => ['POST /keys', { ...typed(type), body: VALID }] as const),
  ],
  [
    '415 unsupported_media_type',
    'The body must be uncompressed JSON in UTF-8.',
    { 'accept-patch': 'application/merge-patch+json, application/json' },
    [
      [
        `PATCH /keys/${UNKNOWN}`,
        { headers: { ...typed('text/plain').headers, 'if-match': '"1"' } },
      ],
    ],
  ],
  [
    '415 unsupported_media_type',
    'The body must be uncompressed JSON in UTF-8.',
    { 'accept-encoding': 'identity' },
    ['gzip', 'identity, gzip'].map(
      (coding) => ['POST /keys', from({ 'content-encoding': coding })] as const,
    ),
  ],
  [
    '400 bad_request',
    'The body is not JSON in UTF-8.',
    {},
    [
      ...['', '   ', '{', `{"k": svc_live_canary`, `{'canary':1}`, `${VALID}${VALID}`, '{"a":NaN}'],
      ...['{"a":1,}', `\xef\xbb\xbf${VALID}`, '{"canary":"\x80"}', '{"canary":"\xc0\x80"}'],
      ...['{"canary":"\xed\xa0\x80"}', `${VALID}\xd9`, '{"canary":"\n"}'],
      Buffer.from(VALID, 'utf16le').toString('latin1'),
    ].map((text) => ['POST /keys', bytes(text)] as const),
  ],
  [
    '413 too_large',
    'The body may have at most 64 KiB.',
    {},
    [
      ['POST /keys', { headers: { 'content-length': '65537' } }],
      ['POST /keys', { body: VALID + ' '.repeat(65_537 - VALID.length) }],
    ],
  ],
  [
    '404 key_not_found',
    'There is no such key in this workspace.',
    {},
    [
      ...[`GET /keys/${UNKNOWN}`, 'GET /keys/x', 'GET /keys/%00', `GET /keys/${UNKNOWN}/events`],
      ...['POST /keys/%00/rotate', `POST /keys/${UNKNOWN}/revoke`, 'POST /keys/x/pause'],
    ].map((target) => [target] as const),
  ],
  [
    '403 operation_not_allowed',
    'This user may not perform this operation.',
    {},
    [
      ...['/keys', `/keys/${UNKNOWN}/pause`, `/keys/${UNKNOWN}/rotate`].map(
        (path) => [`POST ${path}`, { session: 'reader', body: { strange: 1 } }] as const,
      ),
      ['POST /keys/revoke', { session: 'sweeper', body: { ids: [UNKNOWN] } }],
    ],
  ],
]

const CALLS = REFUSALS.flatMap(([verdict, detail, headers, calls]) =>
  calls.map(([target, call = {}]) => [target, call, verdict, detail, headers] as const),
)

function expectProblem(answer: RoutesAnswer, verdict: string, detail: string, headers: object) {
  expect(answer.verdict).toBe(verdict)
  expect(answer.headers).toEqual({
    ...SECURITY,
    'content-type': 'application/problem+json',
    ...headers,
  })
  const [status = '', code = ''] = verdict.split(' ')
  expect(answer.json).toEqual({
    type: `urn:miftah:problem:${code.replaceAll('_', '-')}`,
    title: TITLES[status],
    status: Number(status),
    detail,
    code,
  })
}

test.each(CALLS)('%s %j: %s', async (target, call, verdict, detail, headers) => {
  const routes = openRoutes({ allowedOrigins: ['https://admin.example'] })
  expectProblem(await routes.call(target, call), verdict, detail, headers)
  expect(routes.backend.events).toEqual([])
  expect(routes.errors).toEqual([])
})

test.each([
  {},
  { 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'none' },
  { origin: 'https://app.example' },
  { origin: 'http://app.example' },
  { origin: 'https://admin.example' },
  { origin: 'https://admin.example', 'sec-fetch-site': 'cross-site' },
  { 'miftah-workspace': 'ws%5F1' },
  { 'content-encoding': 'identity' },
  { 'content-length': '65536' },
  ...['application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'].map(
    (type) => typed(type).headers,
  ),
  typed('application/json ; x=y').headers,
])('POST /keys with %j is let through, also with 64 KiB', async (headers) => {
  const { call } = openRoutes({ allowedOrigins: ['https://admin.example'] })
  const body = VALID + ' '.repeat(65_536 - VALID.length)
  expect((await call('POST /keys', { headers, body })).status).toBe(201)
})

test.each(['GET', 'HEAD'])(
  '%s only reads: the browser shows it to no other site',
  async (method) => {
    const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
    const answer = await openRoutes().call(`${method} /keys`, { headers })
    expect(answer.status).toBe(200)
    expect(Object.keys(answer.headers).join()).not.toContain('access-control')
  },
)

describe('a context that is the fault of the host', () => {
  const WRONG: readonly (readonly [answer: unknown, message: string])[] = [
    ...[{}, { workspaceId: '', user: USER }, { workspaceId: true, user: USER }].map(
      (answer) => [answer, unusable('"workspaceId" must be 1 to 255')] as const,
    ),
    ...[{}, { user: null }, { user: { id: '', name: 'x' } }, { user: { id: 'canary\n' } }].map(
      (answer) => [{ workspaceId: 'ws_1', ...answer }, unusable('"user.id" must be 1')] as const,
    ),
    [{ workspaceId: 7, user: USER }, unusable('"workspaceId" is a number: give it as text')],
    [{ workspaceId: 'ws_1', user: { id: 7n } }, unusable('"user.id" is a number: give it as')],
    ['forbiden', unusable('it is a string, but no "forbidden"')],
    [true, unusable('it is a boolean, but no "forbidden"')],
    [session({ user: { id: 'u', name: 7 } }), unusable('"user.name" must be a string')],
    [session({ user: { id: 'miftah:x' } }), unusable('"user.id" must not begin with "miftah:"')],
    [session({ user: { id: 'x'.repeat(256) } }), unusable('"user.id" must be 1 to 255')],
    [session({ visible: 'none' }), unusable('"visible" must be "own" or left out')],
    [session({ allowedOperations: 'revokeKey' }), unusable('"allowedOperations" has something')],
    [session({ allowedOperations: ['rotate'] }), unusable('"allowedOperations" has "rotate"; the')],
    [session({ allowedOperations: [7] }), unusable('"allowedOperations" has a number; the')],
    [session({ grantables: {} }), ' has no member "grantables"; did you mean "grantable"?'],
    [session({ visble: 'own' }), ' has no member "visble"; did you mean "visible"?'],
    [session({ email: 'x' }), ' has no member "email"; known names: workspaceId, user, allowed'],
    ...['grantable', 'visible', 'allowedOperations'].map(
      (name) =>
        [
          session({ [name]: undefined }),
          ` has "${name}" as undefined: give it a value or leave it out.`,
        ] as const,
    ),
  ]
  function session(more: object) {
    return { workspaceId: 'ws_1', user: USER, ...more }
  }
  function unusable(wrong: string) {
    return ` cannot be used: ${wrong}`
  }

  test.each(WRONG)('%o: 500, reported to the host%s', async (given, message) => {
    const routes = openRoutes({ context: () => given as ContextAnswer })
    const detail = 'Something went wrong here.'
    const calls = [
      ['GET /keys', {}],
      ['POST /keys', { body: NEW_KEY }],
      ['POST /keys', { body: { ...NEW_KEY, name: '' } }],
      [`POST /keys/${UNKNOWN}/revoke`, {}],
    ] as const
    for (const [target, call] of calls) {
      expectProblem(await routes.call(target, call), '500 internal_error', detail, {})
    }
    for (const error of routes.errors) {
      expect(error).toBeInstanceOf(TypeError)
      expect(String(error)).toContain(`manageKeys: the answer of "context"${message}`)
    }
    expect(routes.errors).toHaveLength(calls.length)
    expect(routes.backend.events).toEqual([])
  })

  test('one that throws is reported as it is, whatever the reporter does', async () => {
    const told: unknown[] = []
    const onError = async (error: unknown) => {
      told.push(error)
      throw new Error('the reporter fails too')
    }
    const { verdict, json } = await openRoutes({ onError }).call('GET /keys', { session: 'crash' })
    expect(verdict).toBe('500 internal_error')
    expect(JSON.stringify(json)).not.toContain('canary')
    expect(told).toMatchObject([{ message: 'canary: the session store is down' }])
  })

  test('the user may be a whole row of the host', async () => {
    const user = { ...USER, email: 'noura@example.com' }
    const { call } = openRoutes({ context: () => ({ workspaceId: 'ws_1', user }) })
    expect((await call('POST /keys', { body: NEW_KEY })).status).toBe(201)
  })
})

describe('a problem with the input', () => {
  const field = (path: string, code: string) => ({ path: path.split('.').filter(Boolean), code })
  const rotate = `POST /keys/${UNKNOWN}/rotate`
  const pause = `POST /keys/${UNKNOWN}/pause`
  const revoke = `POST /keys/${UNKNOWN}/revoke`
  const events = (query: string) => `GET /keys/${UNKNOWN}/events?${query}`
  const range = 'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z'

  /** The issues by the path, a colon and the code. */
  const QUERIES: readonly (readonly [target: string, issues: string])[] = [
    ['GET /keys?scope=a&scope=b&cursor=&cursor=', 'scope:repeated cursor:repeated'],
    ['GET /keys?unusedForDays=x', 'unusedForDays:invalid_type'],
    ['GET /keys?unusedForDays=0', 'unusedForDays:out_of_range'],
    ['GET /keys?status=', 'status:invalid_value'],
    ['GET /keys?limit=201', 'limit:out_of_range'],
    ...['', '%D9%A1', '1e1', 'x1', '1x', '1234567890'].map(
      (limit) => [`GET /keys?limit=${limit}`, 'limit:invalid_type'] as const,
    ),
    ['GET /keys?limit=123456789', 'limit:out_of_range'],
    ['GET /keys?cursor=%00', 'cursor:invalid_value'],
    ['GET /keys?scope=canary', 'scope:unknown_scope'],
    ['GET /keys?status=%FF', ':invalid_value'],
    ['GET /keys?canary=1', ':unknown_field'],
    ['POST /keys?workspaceId=ws_2', 'workspaceId:unknown_field'],
    [events('limit=0'), 'limit:out_of_range'],
    [events('limit=1&limit=2'), 'limit:repeated'],
    [events('keyId=key_x'), ':unknown_field'],
    ['GET /usage', 'from:required to:required'],
    ['GET /usage?from=2026-02-30T00:00:00Z&to=2026-03-01T00:00:00Z', 'from:invalid_value'],
    [`GET /usage?${range}&to=2026-01-03T00:00:00Z`, 'to:repeated'],
    [`GET /usage?${range}&by=day`, ':unknown_field'],
    [`GET /usage?${range}&id=${UNKNOWN}`, 'id:unknown_field'],
  ]

  test.each(QUERIES)('%s: %s', async (target, issues) => {
    const routes = openRoutes()
    const key = (await issueKey(routes.backend)).key.id
    const known = target.includes('/events') ? target.replace(UNKNOWN, key) : target
    const { verdict, json } = await routes.call(known)
    expect(verdict).toBe('422 invalid_input')
    expect(json.detail).toBe('The input is not valid.')
    expect(json.issues).toMatchObject(
      issues.split(' ').map((issue) => field(...(issue.split(':') as [string, string]))),
    )
  })

  const body = (target: string, given: unknown, ...issues: string[]) =>
    [
      target,
      given,
      issues.map((issue) => field(...(issue.split(':') as [string, string]))),
    ] as const

  test.each([
    body('POST /keys', {}, 'name:required', 'environment:required', 'scopes:required'),
    body('POST /keys', [NEW_KEY], ':invalid_type'),
    body('POST /keys', { ...NEW_KEY, canary: 'canary' }, ':unknown_field'),
    body('POST /keys', { ...NEW_KEY, c1: 1, hash: 'x' }, ':unknown_field', 'hash:unknown_field'),
    body('POST /keys', { ...NEW_KEY, metadata: { team: 'x' } }, 'metadata:unknown_field'),
    body('POST /keys', { ...NEW_KEY, userId: 'u_2' }, ':unknown_field'),
    ...['workspaceId', 'creator', 'actor', 'id', 'status'].map((name) =>
      body('POST /keys', { ...NEW_KEY, [name]: 'ws_2' }, `${name}:unknown_field`),
    ),
    ...['__proto__', 'constructor', 'prototype'].map((name) =>
      body(
        'POST /keys',
        `${VALID.slice(0, -1)},"${name}":{"workspaceId":"ws_2"}}`,
        `${name}:unknown_field`,
      ),
    ),
    body('POST /keys', `${'['.repeat(32_000)}${']'.repeat(32_000)}`, ':invalid_type'),
    ...['[]', 'null', '7'].map((text) => body(pause, text, ':invalid_type')),
    ...['[]', 'null'].map((text) => body(rotate, text, ':invalid_type')),
    body(pause, { canary: 1 }, ':unknown_field'),
    body(rotate, { name: 1 }, 'name:unknown_field'),
    body(rotate, { overlapSeconds: -1 }, 'overlapSeconds:out_of_range'),
    body(revoke, 'null', ':invalid_type'),
    body(revoke, { reason: 1 }, 'reason:invalid_type'),
    ...['stolen', 'reported', 'exposed'].map((reason) =>
      body(revoke, { reason }, 'reason:invalid_value'),
    ),
    body('POST /keys/revoke', {}, ':required'),
    body('POST /keys/revoke', { creatorId: 'u_1', limit: 1 }, 'limit:unknown_field'),
  ])('%s %j: %j', async (target, given, issues) => {
    const routes = openRoutes()
    const { verdict, json } = await routes.call(target, { body: given })
    expect(verdict).toBe('422 invalid_input')
    expect(json.issues).toMatchObject(issues)
    expect(JSON.stringify(json)).not.toContain('canary')
    expect(routes.backend.events).toEqual([])
  })

  const unknown = { code: 'unknown_field', message: 'is not a known parameter.' }

  test('says the names back that are nobody’s secret', async () => {
    const names = ['id', 'name', 'prefix', 'hash', 'secret', 'actor', 'createdAt', 'replacedBy']
    for (const name of [...names, 'metadata', '__proto__', 'constructor', 'prototype']) {
      const { status, json } = await openRoutes().call(`GET /scopes?${name}=1`)
      expect([status, json.issues]).toEqual([422, [{ ...unknown, path: [name] }]])
    }
  })

  test('names 50 parameters at most, and none that it does not know', async () => {
    const names = `${Array.from({ length: 60 }, (_, at) => `x${at}=1`).join('&')}&hash=1`
    for (const path of ['/keys', '/scopes']) {
      const { json } = await openRoutes().call(`GET ${path}?${names}`)
      expect(json.issues).toEqual([{ ...unknown, path: [] }])
    }
  })
})

describe('a storage that fails', () => {
  /** Until then the same write is sent again. */
  const openSlow = () => openRoutes({}, { storageTimeoutMs: 300 })
  const change = (key: string) =>
    [
      ['POST /keys', NEW_KEY, /List the keys.*revoke/],
      [`POST /keys/${key}/rotate`, {}, /List the keys.*revoke/],
      [`POST /keys/${key}/pause`, {}, /Read it again/],
      [`POST /keys/${key}/revoke`, {}, /Revoke it again/],
      ['POST /keys/revoke', { creatorId: 'u_1' }, /Revoke them again/],
    ] as const

  test('is 503 with Retry-After, and passes', async () => {
    const { backend, call, errors } = openRoutes()
    backend.outage = true
    const detail = 'API keys cannot be managed right now.'
    for (const target of ['GET /keys', `POST /keys/${UNKNOWN}/pause`]) {
      expectProblem(await call(target), '503 storage_unavailable', detail, { 'retry-after': '1' })
    }
    expect((await call('GET /scopes')).status).toBe(200)
    expect(errors).toHaveLength(2)
    backend.outage = false
    expect((await call('GET /keys')).status).toBe(200)
    await backend.keys.close()
    expect((await call('GET /keys')).verdict).toBe('503 storage_unavailable')
  })

  test.each([
    ['that lost its answer', new StorageError('outcome_unknown', 'canary: the answer was lost')],
    ['that failed for a reason of its own', new Error('canary: connection reset')],
    ['with a row that cannot be read', new StorageError('broken_row', 'canary')],
    ['that threw nothing that is an error', undefined],
  ])(
    'a change by one %s has an unknown outcome',
    async (_, lostAnswer) => {
      for (const at of lostAnswer === undefined ? [0, 1, 2, 3, 4] : [0]) {
        const { backend, call, errors } = openSlow()
        const { key } = await issueKey(backend)
        backend.lostAnswer = lostAnswer
        const [target, body, detail] = change(key.id)[at] ?? expect.fail('no change')
        const { verdict, headers, json } = await call(target, { body })
        expect(verdict).toBe('500 outcome_unknown')
        expect(headers['retry-after']).toBeUndefined()
        expect(json.detail).toMatch(detail)
        expect(JSON.stringify(json)).not.toContain('canary')
        expect(errors).toHaveLength(1)
        expect((await call('GET /keys')).status).toBe(200)
      }
    },
    60_000,
  )

  test.each(['refused', 'timeout', 'busy'] as const)(
    'a change that was not made is an outage: %s',
    async (code) => {
      const { backend, call } = openRoutes()
      backend.failure = new StorageError(code, 'canary')
      const answer = await call('POST /keys', { body: NEW_KEY })
      expect(answer.verdict).toBe('503 storage_unavailable')
    },
  )

  test('an entitlements function that fails is an outage too', async () => {
    const entitlements = () => {
      throw new Error('canary: billing is down')
    }
    const { call } = openRoutes({}, { entitlements })
    expect((await call('POST /keys', { body: NEW_KEY })).verdict).toBe('503 storage_unavailable')
  })

  test('with a code that only a later copy of the package has is 500', async () => {
    const listKeys = () => Promise.reject(new ApiKeyError('of_a_later_version' as 'stale'))
    const context = () => ({ workspaceId: 'ws_1', user: USER })
    const routes = manageKeys({ ...testKeys().keys, listKeys }, { context, onError: () => {} })
    const response = await routes(new Request('https://a.example/keys'))
    expect([response.status, (await response.json()).code]).toEqual([500, 'internal_error'])
  })
})

describe('the answers of resources', () => {
  const whose = 'manageKeys: the answer of a function of "resources"'
  const read = async (search: unknown, query = '', name: unknown = []) => {
    const source = { search: () => search, name: () => name } as never
    const resources = defineResources([{ type: 'project', label: { en: 'Projects' } }])
    const routes = openRoutes({ resources: { project: source } }, { resources })
    const { status, json } = await routes.call(`GET /resources/project${query}`)
    return { status, json, error: String(routes.errors[0]) }
  }

  test.each([
    [{ resources: [], nextCursor: null, nextPage: 'x' }, 'has no member "nextPage"; known names: '],
    [{ resource: [], nextCursor: null }, 'has no member "resource"; did you mean "resources"?'],
    [{ resources: [], nextCursor: 7 }, 'is something else than resources.'],
    [{ resources: 'x', nextCursor: null }, 'is something else than resources.'],
    [{ resources: [{ id: 1, name: 'x' }], nextCursor: null }, 'is something else than resources.'],
    [
      { resources: [{ id: 'p_1', nmae: 'x' }], nextCursor: null },
      'has a resource with "nmae"; did you mean "name"?',
    ],
  ])('may not be %j', async (answer, message) => {
    const { status, error } = await read(answer)
    expect([status, error]).toEqual([500, expect.stringContaining(`${whose} ${message}`)])
  })

  test('by id they are checked likewise, and whole rows of the host are fine', async () => {
    const bad = await read({}, '?id=p_1', [{ ids: 'p_1', name: 'x' }])
    expect([bad.status, bad.error]).toEqual([500, expect.stringContaining('did you mean "id"?')])
    const row = { id: 'p_1', name: 'Site', createdAt: 1 }
    const { json } = await read({ resources: [row], nextCursor: null })
    expect(json).toEqual({ resources: [{ id: 'p_1', name: 'Site' }], nextCursor: null })
  })
})

describe('options of manageKeys', () => {
  const { keys } = testKeys()
  const context = () => null
  const names = 'manageKeys: option "metadata" must be a list of names.'
  const origins = 'manageKeys: "allowedOrigins" must be like https://app.example.com.'
  const source = { search: () => ({ resources: [], nextCursor: null }), name: () => [] }
  const half = '"resources.project" needs the functions search and name.'

  const BAD: readonly (readonly [options: object, message: string | RegExp])[] = [
    [{}, 'manageKeys: option "context" must be a function.'],
    [{ context: null }, 'manageKeys: option "context" must be a function.'],
    [{ context, onError: 7 }, 'manageKeys: option "onError" must be a function.'],
    [{ context, metadata: 'team' }, names],
    [{ context, metadata: [7] }, names],
    ...['null', '*', 'admin.example', 'https://admin.example/', 'https://ADMIN.example', ''].map(
      (origin) => [{ context, allowedOrigins: [origin] }, origins] as const,
    ),
    [{ context, resources: { team: source } }, /no type "team"/],
    [{ context, resources: { project: { search: source.search } } }, half],
  ]

  test.each(BAD)('%j is refused when it is mounted', (options, message) => {
    const resources = defineResources([{ type: 'project', label: { en: 'Projects' } }])
    const bound = createApiKeys({
      ...{ storage: memoryStorage(), entitlements: () => plans.business, resources },
    })
    expect(() => manageKeys(bound, options as never)).toThrow(message)
  })

  test('may be left out but for context', () => {
    const options = { context, onError: undefined, metadata: undefined }
    expect(() => manageKeys(keys, options as never)).not.toThrow()
  })
})
