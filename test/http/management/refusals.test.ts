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
 * What the routes say where they refuse, word for word, without a server between. What else they refuse, and that
 * every host does so in the same bytes, stands in hosts.txt.
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
const NO_METHOD = 'This route does not support this method.'
const NO_JSON = 'The body must be uncompressed JSON in UTF-8.'
const NOT_PARSED = 'The body is not JSON in UTF-8.'
const TOO_LARGE = 'The body may have at most 64 KiB.'
const SIGN_IN = { 'www-authenticate': 'Session realm="api-key-management"' }
const PATCH_TYPES = { 'accept-patch': 'application/merge-patch+json, application/json' }
const TEXT = { headers: { 'content-type': 'text/plain', 'if-match': '"1"' } }

/** What a call gets, in words, and the headers that come with it. */
const REFUSALS: readonly (readonly [
  verdict: string,
  detail: string,
  headers: object,
  target: string,
  call?: RoutesCall,
])[] = [
  ['404 not_found', 'There is no such route.', {}, 'GET /nothing'],
  // Methods that servers refuse before.
  ['405 method_not_allowed', NO_METHOD, { allow: 'GET, HEAD, POST' }, 'patch /keys'],
  ['405 method_not_allowed', NO_METHOD, { allow: 'GET, HEAD, PATCH' }, 'constructor /keys/x'],
  [
    ...['403 forbidden', 'Only pages of this site may change keys.', {}, 'PURGE /keys'],
    { headers: { 'sec-fetch-site': 'cross-site' }, session: 'crash' },
  ] as never,
  ['401 unauthenticated', 'Nobody is signed in.', SIGN_IN, 'GET /keys', { session: 'mallory' }],
  [
    ...['403 forbidden', 'This user may not manage API keys.', {}, 'POST /keys'],
    { session: 'viewer' },
  ] as never,
  [
    '409 workspace_changed',
    'The session is in a different workspace from the page. Nothing was done.',
    {},
    'POST /keys',
    { headers: { 'miftah-workspace': 'ws_2' }, body: NEW_KEY },
  ],
  [
    '403 operation_not_allowed',
    'This user may not perform this operation.',
    {},
    'POST /keys/revoke',
    { session: 'sweeper' },
  ],
  ['415 unsupported_media_type', NO_JSON, { accept: 'application/json' }, 'POST /keys', TEXT],
  ['415 unsupported_media_type', NO_JSON, PATCH_TYPES, `PATCH /keys/${UNKNOWN}`, TEXT],
  [
    '415 unsupported_media_type',
    NO_JSON,
    { 'accept-encoding': 'identity' },
    'POST /keys',
    { headers: { 'content-encoding': 'gzip' } },
  ],
  ['400 bad_request', NOT_PARSED, {}, 'POST /keys', { body: '' }],
  ['400 bad_request', NOT_PARSED, {}, 'POST /keys', { body: Uint8Array.of(0x7b, 0x80, 0x7d) }],
  ['413 too_large', TOO_LARGE, {}, 'POST /keys', { headers: { 'content-length': '65537' } }],
  ['413 too_large', TOO_LARGE, {}, 'POST /keys', { body: VALID.padEnd(65_537) }],
  ['404 key_not_found', 'There is no such key in this workspace.', {}, `GET /keys/${UNKNOWN}`],
]

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

test.each(REFUSALS.map((row) => [row] as const))('%j', async (row) => {
  const [verdict, detail, headers, target, call = {}] = row
  const routes = openRoutes()
  expectProblem(await routes.call(target, call), verdict, detail, headers)
  expect(routes.backend.events).toEqual([])
  expect(routes.errors).toEqual([])
})

test.each<[number, Readonly<Record<string, string>>]>([
  [201, {}],
  [201, { 'content-length': '65536' }],
  [201, { origin: 'https://admin.example', 'sec-fetch-site': 'cross-site' }],
  ...['http://admin.example', 'HTTPS://ADMIN.EXAMPLE', 'https://admin.example.evil.example'].map(
    (origin) => [403, { origin }] as [number, { origin: string }],
  ),
])('%i for 64 KiB with %j, where another origin is allowed', async (status, headers) => {
  const { call } = openRoutes({ allowedOrigins: ['https://admin.example'] })
  const answer = await call('POST /keys', { headers, body: VALID.padEnd(65_536) })
  expect(answer.status).toBe(status)
})

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
  const rotate = `POST /keys/${UNKNOWN}/rotate`
  const events = `GET /keys/${UNKNOWN}/events`
  const deep = `${'['.repeat(32_000)}${']'.repeat(32_000)}`
  const inherited = `${VALID.slice(0, -1)},"__proto__":{"workspaceId":"ws_2"}}`

  /** Each issue by its path and, behind a colon, its code. What the client made up has no path. */
  const INPUTS: readonly (readonly [target: string, issues: string, body?: unknown])[] = [
    ['GET /keys?scope=a&scope=b&cursor=&cursor=', 'scope:repeated cursor:repeated'],
    ['GET /keys?limit=123456789', 'limit:out_of_range'],
    ['GET /keys?limit=1234567890', 'limit:invalid_type'],
    ['GET /keys?scope=canary', 'scope:unknown_scope'],
    ['GET /keys?status=%FF', ':invalid_value'],
    ['GET /keys?canary=1', ':unknown_field'],
    ['GET /scopes?hash=1', 'hash:unknown_field'],
    ['POST /keys?workspaceId=ws_2', 'workspaceId:unknown_field', NEW_KEY],
    [`${events}?limit=1&limit=2`, 'limit:repeated'],
    ['GET /usage', 'from:required to:required'],
    ['POST /keys', 'name:required environment:required scopes:required', {}],
    ['POST /keys', ':invalid_type', deep],
    ['POST /keys', ':unknown_field', { ...NEW_KEY, canary: 'canary' }],
    ['POST /keys', ':unknown_field hash:unknown_field', { ...NEW_KEY, c1: 1, hash: 'x' }],
    ['POST /keys', 'metadata:unknown_field', { ...NEW_KEY, metadata: { team: 'x' } }],
    ['POST /keys', 'creator:unknown_field', { ...NEW_KEY, creator: 'u_2' }],
    ['POST /keys', '__proto__:unknown_field', inherited],
    [rotate, 'overlapSeconds:out_of_range', { overlapSeconds: -1 }],
    [`POST /keys/${UNKNOWN}/revoke`, 'reason:invalid_value', { reason: 'exposed' }],
    ['POST /keys/revoke', ':required', {}],
  ]

  test.each(INPUTS.map((row) => [row] as const))('%j', async ([target, issues, body]) => {
    const routes = openRoutes()
    const { verdict, json } = await routes.call(target, body === undefined ? {} : { body })
    expect([verdict, json.detail]).toEqual(['422 invalid_input', 'The input is not valid.'])
    const named = json.issues.map(({ path, code }: { path: string[]; code: string }) =>
      [path.join('.'), code].join(':'),
    )
    expect(named.join(' ')).toBe(issues)
    expect(JSON.stringify(json)).not.toContain('canary')
    expect(routes.backend.events).toEqual([])
  })

  test('names 50 parameters at most, and none that it does not know', async () => {
    const names = `${Array.from({ length: 60 }, (_, at) => `x${at}=1`).join('&')}&hash=1`
    for (const path of ['/keys', '/scopes']) {
      const { json } = await openRoutes().call(`GET ${path}?${names}`)
      const unknown = { code: 'unknown_field', message: 'is not a known parameter.' }
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
