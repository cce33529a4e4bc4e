import type { Denial, DenialReason } from '../authenticate/denial.ts'
import { limitHeaders } from '../limits/headers.ts'
import { type HttpAnswer, problem } from './answer.ts'

/** The responses of a guard. */
export interface GuardAnswers {
  /**
   * The answer to a refused request: 400 for `invalid_request`, 403 for `insufficient_scope` and
   * `plan_required`, 429 for `rate_limited` (RFC 6585 §4), else 401 (RFC 6750 §3.1). Malformed, unknown,
   * revoked and paused keys get the same bytes; the answer for an expired key says so, because its
   * secret was proved and another one helps.
   */
  denial(denial: Denial): HttpAnswer
  /** The answer while the storage or the entitlements function fails: 503, `Retry-After` 1 second. */
  readonly fault: HttpAnswer
}

/** qdtext of RFC 9110 §5.6.4 without obs-text, so that no character needs a backslash. */
const REALM = /^[\x20\x21\x23-\x5B\x5D-\x7E]+$/

/** Without a challenge: another key would not help. */
const PLAN_REQUIRED = problem(
  403,
  { code: 'plan_required', detail: 'The plan of this workspace does not include the API.' },
  { vary: 'Authorization' },
)

const UNAVAILABLE = problem(
  503,
  { code: 'storage_unavailable', detail: 'API keys cannot be checked right now.' },
  { 'retry-after': '1', vary: 'Authorization' },
)

/**
 * The answers of a guard for one realm, `api` unless given: RFC 6750 §3 challenges with RFC 9457
 * bodies. Throws a `TypeError` when the realm is empty, or has a control character, a character outside
 * ASCII, `"` or `\`.
 *
 * @example
 * ```ts
 * import { guardAnswers } from 'miftah/http'
 *
 * const answer = guardAnswers('api').denial({ ok: false, reason: 'missing' })
 * answer.headers['www-authenticate'] //=> 'Bearer realm="api"'
 * ```
 */
export function guardAnswers(realm = 'api'): GuardAnswers {
  if (typeof realm !== 'string' || !REALM.test(realm)) {
    throw new TypeError('The realm must be visible ASCII characters without " and \\.')
  }
  const refuse = refusal(realm)
  const invalidToken = refuse(401, 'invalid_token', 'The API key is not valid.')
  const answers: Readonly<Record<Exclude<DenialReason, Detailed>, HttpAnswer>> = {
    missing: refuse(401, 'missing', 'This request needs an API key.'),
    invalid_request: refuse(400, 'invalid_request', 'Send exactly one API key, as Bearer <key>.'),
    malformed: invalidToken,
    unknown: invalidToken,
    revoked: invalidToken,
    paused: invalidToken,
    expired: refuse(401, 'key_expired', 'The API key has expired.'),
    plan_required: PLAN_REQUIRED,
  }
  return Object.freeze({
    denial: (denial: Denial) => {
      if (denial.reason === 'rate_limited') return rateLimited(denial)
      return denial.reason === 'insufficient_scope'
        ? refuse(403, 'insufficient_scope', 'The API key lacks the scope.', denial.scope)
        : answers[denial.reason]
    },
    fault: UNAVAILABLE,
  })
}

/** The reasons whose answer depends on more than the reason. */
type Detailed = 'insufficient_scope' | 'rate_limited'

/** Without a challenge: another key of the workspace may not help either (RFC 6585 §4). */
function rateLimited({ retryAfterMs, limits }: Extract<Denial, { reason: 'rate_limited' }>) {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1_000))
  return problem(
    429,
    { code: 'rate_limited', detail: 'This API key has made too many requests. Try again later.' },
    { 'retry-after': String(seconds), ...limitHeaders(limits), vary: 'Authorization' },
  )
}

type Refuse = (status: number, code: string, detail: string, scope?: string) => HttpAnswer

function refusal(realm: string): Refuse {
  return (status, code, detail, scope) =>
    problem(
      status,
      { code, detail },
      {
        'www-authenticate': `Bearer realm="${realm}"${parameters(code, scope)}`,
        vary: 'Authorization',
      },
    )
}

/** RFC 6750 §3.1: a request without credentials gets no error code. */
function parameters(code: string, scope: string | undefined): string {
  if (code === 'missing') return ''
  if (code === 'key_expired') {
    return ', error="invalid_token", error_description="The API key has expired"'
  }
  return `, error="${code}"${scope === undefined ? '' : `, scope="${scope}"`}`
}
