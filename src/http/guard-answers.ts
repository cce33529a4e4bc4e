import { ownData } from '../lib/own-data.ts'
import { limitHeaders, retryAfterSeconds } from '../limits/headers.ts'
import type { Denial, DenialReason } from '../model/denial.ts'
import type { ScopeRequirement } from '../model/requirement.ts'
import { type HttpAnswer, problem } from './answer.ts'
import { type CredentialPlace, checkAccept, PLACES, varyOf } from './credentials.ts'

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
  /** The answer when the guard itself fails, through a mistake in the program: 500. */
  readonly internalError: HttpAnswer
}

/** How the answers of a guard present it. */
export interface GuardAnswersOptions {
  /** The realm of the challenges (RFC 9110 §11.5): ASCII without `"` and `\`. Default `api`. */
  readonly realm?: string
  /** Where requests may carry their key. Default `['bearer']`. */
  readonly accept?: readonly CredentialPlace[]
}

/** qdtext of RFC 9110 §5.6.4 without obs-text, so that no character needs a backslash. */
const REALM = /^[\x20\x21\x23-\x5B\x5D-\x7E]+$/

/**
 * The answers of a guard: RFC 6750 §3 challenges, one for each accepted place, with RFC 9457 bodies.
 * Throws a `TypeError` for an unknown place, and when the realm is empty, or has a control character, a
 * character outside ASCII, `"` or `\`.
 *
 * @example
 * ```ts
 * import { guardAnswers } from 'miftah/http'
 *
 * const answer = guardAnswers().denial({ ok: false, reason: 'missing' })
 * answer.headers['www-authenticate'] //=> 'Bearer realm="api"'
 * ```
 */
export function guardAnswers(options: GuardAnswersOptions = {}): GuardAnswers {
  const { realm = 'api', accept: places = ['bearer'] } = ownData(options) as GuardAnswersOptions
  if (typeof realm !== 'string' || !REALM.test(realm)) {
    throw new TypeError('The realm must be visible ASCII characters without " and \\.')
  }
  const accept = checkAccept(places)
  const vary = varyOf(accept)
  const challenge = challengeOf(realm, accept)
  const refuse = (status: number, code: string, detail: string): HttpAnswer =>
    problem(status, { code, detail }, { 'www-authenticate': challenge(errorOf(code)), vary })
  const invalidToken = refuse(401, 'invalid_token', 'The API key is not valid.')
  const forms = accept.map((place) => `as ${PLACES[place].form}`).join(' or ')
  const answers: Readonly<Record<Exclude<DenialReason, Detailed>, HttpAnswer>> = {
    missing: refuse(401, 'missing', 'This request needs an API key.'),
    invalid_request: refuse(400, 'invalid_request', `Send exactly one API key, ${forms}.`),
    malformed: invalidToken,
    unknown: invalidToken,
    revoked: invalidToken,
    paused: invalidToken,
    expired: refuse(401, 'key_expired', 'The API key has expired.'),
    // Without a challenge: another key would not help.
    plan_required: problem(
      403,
      { code: 'plan_required', detail: 'The plan of this workspace does not include the API.' },
      { vary },
    ),
  }
  return Object.freeze({
    denial: (denial: Denial) => {
      if (denial.reason === 'rate_limited') return rateLimited(denial, vary)
      if (denial.reason !== 'insufficient_scope') return answers[denial.reason]
      const parameters = `${errorOf(denial.reason)}, scope="${scopesToName(denial.requirement)}"`
      return insufficientScope(denial, { 'www-authenticate': challenge(parameters), vary })
    },
    fault: problem(
      503,
      { code: 'storage_unavailable', detail: 'API keys cannot be checked right now.' },
      { 'retry-after': '1', vary },
    ),
    internalError: problem(
      500,
      { code: 'internal_error', detail: 'Something went wrong here.' },
      { vary },
    ),
  })
}

/** The reasons whose answer depends on more than the reason. */
type Detailed = 'insufficient_scope' | 'rate_limited'

type DenialFor<R extends Detailed> = Extract<Denial, { readonly reason: R }>

function insufficientScope(
  { requirement }: DenialFor<'insufficient_scope'>,
  headers: Readonly<Record<string, string>>,
): HttpAnswer {
  const named = typeof requirement === 'string' ? { allOf: [requirement] } : requirement
  const detail =
    'anyOf' in named
      ? 'This request needs one of several scopes, and the API key has none of them.'
      : 'The API key lacks a scope that this request needs.'
  return problem(403, { code: 'insufficient_scope', detail, requirement: named }, headers)
}

/** The scopes that would do (RFC 6750 §3): all of `allOf`, and of `anyOf` the first. */
function scopesToName(requirement: ScopeRequirement): string | undefined {
  if (typeof requirement === 'string') return requirement
  return 'anyOf' in requirement ? requirement.anyOf[0] : requirement.allOf.join(' ')
}

const LATER = 'This API key has made too many requests. Try again later.'
const NEVER = 'The rate limit of this API key does not allow this request, now or later.'

/**
 * Without a challenge: another key of the workspace may not help either (RFC 6585 §4). Without
 * `Retry-After` where waiting does not help.
 */
function rateLimited({ retryAfterMs, limits }: DenialFor<'rate_limited'>, vary: string) {
  const headers = { ...limitHeaders(limits), vary }
  const code = 'rate_limited'
  if (retryAfterMs === Infinity) return problem(429, { code, detail: NEVER }, headers)
  const seconds = String(retryAfterSeconds(retryAfterMs, limits))
  return problem(429, { code, detail: LATER }, { 'retry-after': seconds, ...headers })
}

/** Builds the challenges (RFC 9110 §11.6.1), all but Basic's with the parameters of RFC 6750 §3. */
function challengeOf(realm: string, accept: readonly CredentialPlace[]) {
  return (parameters: string): string =>
    accept
      .map((place) => {
        const challenge = `${PLACES[place].scheme} realm="${realm}"`
        // RFC 7617 §2.1.
        if (place === 'basic-username') return `${challenge}, charset="UTF-8"`
        return challenge + parameters
      })
      .join(', ')
}

/** RFC 6750 §3.1: a request without credentials gets no error code. */
function errorOf(code: string): string {
  if (code === 'missing') return ''
  if (code === 'key_expired') {
    return ', error="invalid_token", error_description="The API key has expired"'
  }
  return `, error="${code}"`
}
