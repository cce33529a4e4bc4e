import type { HostCalls } from '../lib/host-calls.ts'
import { refuseUnknown } from '../lib/known-names.ts'
import { isPromise, withinTime } from '../lib/within-time.ts'
import type { Limiter, LimiterAnswer, LimiterPolicy, LimiterRequest } from '../model/limiter.ts'

/** A limiter in trouble must not add more than this to each request. */
const TIMEOUT_MS = 250

export const ALLOWED: LimiterAnswer = Object.freeze({ allowed: true })

export interface LimiterSettings {
  readonly limiter: Limiter
  readonly onFault: 'allow' | 'refuse'
}

/**
 * Asks the limiter about one request. A limiter that throws, takes over 250 ms or returns an invalid answer
 * is a fault: it is reported, and the request is allowed, or refused by an `OutageError`.
 */
export function askLimiter(
  calls: HostCalls,
  settings: LimiterSettings,
  request: LimiterRequest,
): LimiterAnswer | Promise<LimiterAnswer> {
  try {
    const answer = settings.limiter.take(request)
    if (!isPromise(answer)) return read(calls, answer)
    return Promise.resolve(withinTime({ timeoutMs: TIMEOUT_MS }, () => answer))
      .then((known) => read(calls, known))
      .catch((error: unknown) => afterFault(calls, settings, error))
  } catch (error) {
    return afterFault(calls, settings, error)
  }
}

/** A member that is not known is reported. What the limiter has decided holds all the same. */
function read(calls: HostCalls, answer: unknown): LimiterAnswer {
  const checked = checkLimiterAnswer(answer)
  try {
    checkLimiterNames(Object(answer))
  } catch (error) {
    calls.fault('limiter', error)
  }
  return checked
}

function afterFault(calls: HostCalls, { onFault }: LimiterSettings, error: unknown): LimiterAnswer {
  const outage = calls.fault('limiter', error)
  if (onFault === 'refuse') throw outage
  return ALLOWED
}

/** The largest integer of RFC 9651 §3.3.1. */
export const MAX_INTEGER = 999_999_999_999_999
const MAX_POLICIES = 10
/** Characters of a String (RFC 9651 §3.3.3) that need no backslash. */
const NAME = /^[\x20\x21\x23-\x5B\x5D-\x7E]{1,64}$/

type Given<T> = { readonly [Field in keyof T]?: unknown }

/**
 * A copy of what a limiter answered, counts rounded down and times rounded up to whole numbers. Throws a
 * `TypeError` when it is invalid.
 */
export function checkLimiterAnswer(answer: unknown): LimiterAnswer {
  const given: Given<Extract<LimiterAnswer, { allowed: false }>> = Object(answer)
  const { allowed, retryAfterMs } = given
  const policies = checkPolicies(given.policies ?? [])
  if (allowed === true) return { allowed, policies }
  if (allowed !== false || !(isCount(retryAfterMs) || retryAfterMs === Infinity)) {
    throw new TypeError(
      'The limiter must answer { allowed: true } or { allowed: false, retryAfterMs: number }.',
    )
  }
  return { allowed, retryAfterMs, policies }
}

const MEMBERS = ['allowed', 'retryAfterMs', 'policies']
const OF_POLICY = ['name', 'limit', 'remaining', 'windowSeconds', 'resetSeconds']

/** Throws a `TypeError` for a member of a checked answer that is not known. */
export function checkLimiterNames(answer: object): void {
  refuseUnknown(answer, MEMBERS, 'The limiter answered an unknown member,')
  for (const policy of (answer as LimiterAnswer).policies ?? []) {
    refuseUnknown(policy, OF_POLICY, 'The limiter answered an unknown member of a policy,')
  }
}

function checkPolicies(policies: unknown): readonly LimiterPolicy[] {
  if (!Array.isArray(policies) || policies.length > MAX_POLICIES) {
    throw new TypeError(`The limiter must answer at most ${MAX_POLICIES} policies.`)
  }
  return policies.map(checkPolicy)
}

function checkPolicy(policy: unknown): LimiterPolicy {
  const given: Given<LimiterPolicy> = Object(policy)
  const { name, limit, remaining, windowSeconds, resetSeconds } = given
  const sane =
    typeof name === 'string' &&
    NAME.test(name) &&
    isCount(limit) &&
    isCount(remaining) &&
    (windowSeconds === undefined || isCount(windowSeconds)) &&
    (resetSeconds === undefined || isCount(resetSeconds))
  if (!sane) throw new TypeError('The limiter answered an invalid policy.')
  return {
    ...{ name, limit: Math.floor(limit), remaining: Math.floor(remaining) },
    ...(windowSeconds !== undefined && { windowSeconds: Math.ceil(windowSeconds) }),
    ...(resetSeconds !== undefined && { resetSeconds: Math.ceil(resetSeconds) }),
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MAX_INTEGER
}
