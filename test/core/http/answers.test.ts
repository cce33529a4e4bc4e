import { describe, expect, test } from 'vitest'
import { guardAnswers, type HttpAnswer, problem } from '../../../src/http/index.ts'
import type { Denial } from '../../../src/index.ts'

/** The same answer as `problem` gives, with its body read. */
const read = ({ status, headers, body }: HttpAnswer) => ({
  status,
  headers,
  body: JSON.parse(body),
})

describe('a problem', () => {
  test('carries its code, its sentence and what else is said', () => {
    const { status, headers, body } = read(
      problem(409, { code: 'active_key_limit_reached', detail: 'Full.', activeKeys: 5 }),
    )
    expect(status).toBe(409)
    expect(headers).toEqual({
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
    })
    expect(body).toEqual({
      type: 'urn:miftah:problem:active-key-limit-reached',
      title: 'Conflict',
      status: 409,
      detail: 'Full.',
      code: 'active_key_limit_reached',
      activeKeys: 5,
    })
  })

  test('takes further headers, and those given win', () => {
    const more = { 'retry-after': '1', 'cache-control': 'private' }
    const answer = problem(503, { code: 'down', detail: 'Down.' }, more)
    expect([answer, answer.headers].every(Object.isFrozen)).toBe(true)
    expect(answer.headers).toEqual({
      'content-type': 'application/problem+json',
      'cache-control': 'private',
      'retry-after': '1',
    })
  })

  test.each([
    [400, 'Bad Request'],
    [401, 'Unauthorized'],
    [403, 'Forbidden'],
    [404, 'Not Found'],
    [405, 'Method Not Allowed'],
    [409, 'Conflict'],
    [412, 'Precondition Failed'],
    [413, 'Content Too Large'],
    [415, 'Unsupported Media Type'],
    [422, 'Unprocessable Content'],
    [428, 'Precondition Required'],
    [500, 'Internal Server Error'],
    [429, 'Too Many Requests'],
    [503, 'Service Unavailable'],
    [418, undefined],
  ])('%i has the title of RFC 9110: %s', (status, title) => {
    expect(read(problem(status, { code: 'x', detail: 'X.' })).body.title).toBe(title)
  })
})

const keyId = 'key_1'

describe('what a guard answers', () => {
  const BOTH = ['contacts.read', 'contacts.write']
  const MISSING =
    'This request needs an API key. Send it as Authorization: Bearer <key>, and never in the URL.'
  const LACKING = 'The API key lacks a scope that this request needs.'
  const NONE = 'This request needs one of several scopes, and the API key has none of them.'
  const INVALID = [
    401,
    'error="invalid_token"',
    'invalid_token',
    'The API key is not valid.',
  ] as const
  const EXPIRED = 'error="invalid_token", error_description="The API key has expired"'
  const NO_PLAN = 'The plan of this workspace does not include the API.'
  const lacking = (requirement: unknown, scope: string, detail: string) =>
    [
      { reason: 'insufficient_scope', requirement },
      403,
      `error="insufficient_scope", scope="${scope}"`,
      'insufficient_scope',
      detail,
    ] as const

  test.each<readonly [object, number, string | null, string, string]>([
    [{ reason: 'missing' }, 401, '', 'missing', MISSING],
    [
      { reason: 'invalid_request' },
      400,
      'error="invalid_request"',
      'invalid_request',
      'Send exactly one API key, as Authorization: Bearer <key>.',
    ],
    ...['malformed', 'unknown', 'revoked'].map((reason) => [{ reason }, ...INVALID] as const),
    [{ reason: 'expired' }, 401, EXPIRED, 'key_expired', 'The API key has expired.'],
    [{ reason: 'plan_required' }, 403, null, 'plan_required', NO_PLAN],
    lacking('contacts.read', 'contacts.read', LACKING),
    lacking({ allOf: BOTH }, 'contacts.read contacts.write', LACKING),
    lacking({ anyOf: BOTH }, 'contacts.read', NONE),
  ])('%j', (fields, status, challenge, code, detail) => {
    const denial = { ok: false, keyId, ...fields } as Denial
    const answer = read(guardAnswers({ realm: 'api' }).denial(denial))
    expect(answer).toMatchObject({ status, body: { status, code, detail } })
    const words = challenge === '' ? '' : `, ${challenge}`
    expect(answer.headers).toEqual({
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      vary: 'Authorization',
      ...(challenge === null ? {} : { 'www-authenticate': `Bearer realm="api"${words}` }),
    })
  })

  test.each([
    ['contacts.read', { allOf: ['contacts.read'] }],
    [
      { anyOf: ['contacts.read', 'contacts.write'] },
      { anyOf: ['contacts.read', 'contacts.write'] },
    ],
  ] as const)('names the requirement %j as %j', (requirement, named) => {
    const denial = { ok: false, reason: 'insufficient_scope', keyId, requirement } as const
    expect(read(guardAnswers().denial(denial)).body.requirement).toEqual(named)
  })

  test.each([
    [0, '9'],
    [9_000, '9'],
    [9_001, '10'],
  ])('rate_limited for %i ms: Retry-After is %s, without a challenge', (retryAfterMs, seconds) => {
    const limits = [{ name: 'default', limit: 5, windowSeconds: 60, remaining: 0, resetSeconds: 9 }]
    const denial = { ok: false, reason: 'rate_limited', keyId, retryAfterMs, limits } as const
    const answer = read(guardAnswers().denial(denial))
    expect(answer).toMatchObject({
      status: 429,
      body: {
        code: 'rate_limited',
        detail: 'This API key has made too many requests. Try again later.',
      },
    })
    expect(answer.headers).toEqual({
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      'retry-after': seconds,
      'ratelimit-policy': '"default";q=5;w=60',
      ratelimit: '"default";r=0;t=9',
      vary: 'Authorization',
    })
  })

  test('rate_limited for ever: no Retry-After, and words that say so', () => {
    const limited = { ok: false, reason: 'rate_limited', keyId, limits: [] } as const
    const answer = read(guardAnswers().denial({ ...limited, retryAfterMs: Infinity }))
    expect(answer).toMatchObject({
      status: 429,
      body: {
        code: 'rate_limited',
        detail: 'The rate limit of this API key does not allow this request, now or later.',
      },
    })
    expect(answer.headers).not.toHaveProperty('retry-after')
  })

  test('an outage', () => {
    const { fault } = guardAnswers()
    expect(read(fault)).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1', vary: 'Authorization', 'cache-control': 'no-store' },
      body: { code: 'storage_unavailable', detail: 'API keys cannot be checked right now.' },
    })
    expect(Object.isFrozen(guardAnswers())).toBe(true)
  })

  test('a rule of the route that fails, and an error of the host', () => {
    const { ruleFault, internalError } = guardAnswers()
    const detail = 'What this route asks of API keys cannot be checked right now.'
    expect(read(ruleFault)).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1', vary: 'Authorization', 'cache-control': 'no-store' },
      body: { code: 'rule_failed', detail },
    })
    expect(read(internalError)).toMatchObject({
      status: 500,
      headers: { vary: 'Authorization' },
      body: { code: 'internal_error', detail: 'Something went wrong here.' },
    })
  })
})

describe('the realm', () => {
  const challengeOf = (realm?: string) =>
    guardAnswers(realm === undefined ? {} : { realm }).denial({ ok: false, reason: 'missing' })
      .headers['www-authenticate']

  test.each([' ', '!', '#', '[', ']', '~', 'orders of the day'])('may be %j', (realm) => {
    expect(challengeOf(realm)).toBe(`Bearer realm="${realm}"`)
  })

  test('is api where none is named', () => {
    expect(challengeOf()).toBe('Bearer realm="api"')
  })
})
