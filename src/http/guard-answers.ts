import { OptionChecks } from '../lib/option-checks.ts'
import { type Denial, denialReasons, type ScopeRequirement } from '../model/denial.ts'
import type { LimiterPolicy } from '../model/limiter.ts'
import { type HttpAnswer, type ProblemDetails, problem } from './answer.ts'
import { type CredentialPlace, checkAccept, PLACES, varyOf } from './credentials.ts'

/** The responses of a guard. */
export interface GuardAnswers {
  /**
   * The answer to a refused request: 400 for `invalid_request`, 403 for `cleartext`, `insufficient_scope` and
   * `plan_required`, 429 for `rate_limited` (RFC 6585 §4), else 401 (RFC 6750 §3.1). Malformed, unknown,
   * revoked and paused keys get the same bytes; the answer for an expired key says so, because its secret was
   * proved and another one helps.
   */
  denial(denial: Denial): HttpAnswer
  /** The answer while the storage or the entitlements function fails: 503, `Retry-After` 1 second. */
  readonly fault: HttpAnswer
  /** The answer while a function of the guard's own options fails: 503, `Retry-After` 1 second. */
  readonly ruleFault: HttpAnswer
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

const checks = new OptionChecks('guardAnswers')

/**
 * The answers of a guard: RFC 6750 §3 challenges, one for each accepted place, with RFC 9457 bodies. Throws a
 * `TypeError` for an unknown place, and when the realm is empty, or has a control character, a character
 * outside ASCII, `"` or `\`.
 */
export function guardAnswers(options: GuardAnswersOptions = {}): GuardAnswers {
  const own = checks.object(options, { realm: true, accept: true })
  const { realm = 'api', accept: given = ['bearer'] } = own
  if (typeof realm !== 'string' || !REALM.test(realm)) {
    throw new TypeError('The realm must be visible ASCII characters without " and \\.')
  }
  const accept = checkAccept(given)
  const vary = varyOf(accept)
  const challengeOf = challenges(realm, accept)
  const places = accept.map((place) => `as ${PLACES[place].form}`).join(' or ')
  const unavailable = (details: ProblemDetails) =>
    problem(503, details, { 'retry-after': '1', vary })
  return Object.freeze({
    denial: (denial: Denial) => {
      const { status, code, challenge } = denialReasons[denial.reason]
      const detail = DETAILS[code].replace('{places}', places)
      if (denial.reason === 'rate_limited') return rateLimited(denial, { detail, vary })
      const scope = denial.reason === 'insufficient_scope' ? scopeOf(denial.requirement) : null
      const parameters = `${challenge}${scope?.parameter ?? ''}`
      const challenges = challenge === null ? {} : { 'www-authenticate': challengeOf(parameters) }
      return problem(status, { code, detail, ...scope?.details }, { ...challenges, vary })
    },
    fault: unavailable({
      code: 'storage_unavailable',
      detail: 'API keys cannot be checked right now.',
    }),
    ruleFault: unavailable({
      code: 'rule_failed',
      detail: 'What this route asks of API keys cannot be checked right now.',
    }),
    internalError: problem(
      500,
      { code: 'internal_error', detail: 'Something went wrong here.' },
      { vary },
    ),
  })
}

/** The sentences in the bodies, by code. `{places}` are the places that a key is accepted from. */
const DETAILS = {
  https_required: 'Send API keys over HTTPS only. Replace a key that was sent over plain HTTP.',
  missing: 'This request needs an API key. Send it {places}, and never in the URL.',
  invalid_request: 'Send exactly one API key, {places}.',
  invalid_token: 'The API key is not valid.',
  key_expired: 'The API key has expired.',
  network_not_allowed: 'The API key may not be used from this address.',
  plan_required: 'The plan of this workspace does not include the API.',
  insufficient_scope: 'The API key lacks a scope that this request needs.',
  resource_not_allowed: 'The API key does not reach this resource.',
  rate_limited: 'This API key has made too many requests. Try again later.',
}

const ONE_OF_SEVERAL = 'This request needs one of several scopes, and the API key has none of them.'

/** What is said of a scope that is missing. The challenge names all of `allOf`, and of `anyOf` the first. */
function scopeOf(requirement: ScopeRequirement) {
  const named = typeof requirement === 'string' ? { allOf: [requirement] } : requirement
  const details = { requirement: named, ...('anyOf' in named && { detail: ONE_OF_SEVERAL }) }
  const scopes = 'anyOf' in named ? named.anyOf[0] : named.allOf.join(' ')
  return { details, parameter: `, scope="${scopes}"` }
}

const NEVER = 'The rate limit of this API key does not allow this request, now or later.'

/**
 * Without a challenge: another key of the workspace may not help either (RFC 6585 §4). Without `Retry-After`
 * where waiting does not help.
 */
function rateLimited(
  { retryAfterMs, limits }: Extract<Denial, { readonly reason: 'rate_limited' }>,
  { detail, vary }: { readonly detail: string; readonly vary: string },
) {
  const headers = { ...limitHeaders(limits), vary }
  const { status, code } = denialReasons.rate_limited
  if (retryAfterMs === Infinity) return problem(status, { code, detail: NEVER }, headers)
  const seconds = String(retryAfterSeconds(retryAfterMs, limits))
  return problem(status, { code, detail }, { 'retry-after': seconds, ...headers })
}

/** Builds the challenges (RFC 9110 §11.6.1), all but Basic's with the parameters of RFC 6750 §3. */
function challenges(realm: string, accept: readonly CredentialPlace[]) {
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

/**
 * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers §§3, 4): Lists of Strings with
 * Integer parameters in the syntax of RFC 9651. Without policies there are no headers. Partition keys are
 * left out: they would name the workspace.
 */
export function limitHeaders(
  policies: readonly LimiterPolicy[] | undefined,
): Readonly<Record<string, string>> {
  if (policies === undefined || policies.length === 0) return {}
  const quotas = policies.map(
    ({ name, limit, windowSeconds }) => `"${name}";q=${limit}${parameter('w', windowSeconds)}`,
  )
  const states = policies.map(
    ({ name, remaining, resetSeconds }) =>
      `"${name}";r=${remaining}${parameter('t', resetSeconds)}`,
  )
  return { 'ratelimit-policy': quotas.join(', '), ratelimit: states.join(', ') }
}

/**
 * `Retry-After` of a refused request, in seconds: at least 1, and not before the reset of the policy with the
 * fewest calls left, which is one that refused (draft-ietf-httpapi-ratelimit-headers-11 §6).
 */
export function retryAfterSeconds(
  retryAfterMs: number,
  policies: readonly LimiterPolicy[],
): number {
  const fewest = Math.min(...policies.map(({ remaining }) => remaining))
  const resets = policies
    .filter(({ remaining }) => remaining === fewest)
    .map(({ resetSeconds = 0 }) => resetSeconds)
  return Math.max(1, Math.ceil(retryAfterMs / 1_000), ...resets)
}

function parameter(name: string, value: number | undefined): string {
  return value === undefined ? '' : `;${name}=${value}`
}
