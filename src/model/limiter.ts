import type { Requirement } from './denial.ts'
import type { AuthenticatedKey } from './key.ts'

/** How many calls a plan allows. The library passes it to the limiter and keeps no counters. */
export interface RateLimit {
  /** How many calls each window allows: 1 to 999,999,999,999,999. */
  readonly limit: number
  /** The length of the window in seconds: 1 to 1,000,000,000, about 31 years. */
  readonly windowSeconds: number
  /**
   * How many calls may arrive at once, at least 1; `limit` must allow so many in 1,000,000,000 seconds.
   * Default: `limit`.
   */
  readonly burst?: number
}

/** What a {@link Limiter} decides about: a request that has passed every other check. @inline */
export interface LimiterRequest {
  /** The key, frozen. */
  readonly key: AuthenticatedKey
  /** The scopes that the request needs; `null` where any valid key would have done. */
  readonly requirement: Requirement
  /** How many calls the request counts as, at least 1. */
  readonly cost: number
  /** `rateLimit` of the workspace's entitlements, or `null` when the plan names none. */
  readonly rateLimit: RateLimit | null
}

/**
 * One policy and what remains of it, as the response headers `RateLimit-Policy` and `RateLimit` show it
 * (draft-ietf-httpapi-ratelimit-headers). @inline
 */
export interface LimiterPolicy {
  /** The name of the policy: visible ASCII without `"` and `\`, at most 64 characters. */
  readonly name: string
  /** The quota: how many calls the window allows. */
  readonly limit: number
  /** The length of the window in seconds; absent when the limiter has no window. */
  readonly windowSeconds?: number
  /** How many calls are left now. */
  readonly remaining: number
  /**
   * In how many seconds the quota is whole again, or in a refusal more calls are allowed; absent when that is
   * not known.
   */
  readonly resetSeconds?: number
}

/** The answer of a {@link Limiter}. @inline */
export type LimiterAnswer =
  | {
      /** The request may go on. */
      readonly allowed: true
      /** The policies to show, at most 10. Default: none. */
      readonly policies?: readonly LimiterPolicy[]
    }
  | {
      /** The request is refused and not counted as a use. */
      readonly allowed: false
      /** In how many milliseconds a repeated request may be allowed; `Infinity` for one that never is. */
      readonly retryAfterMs: number
      /** The policies to show, at most 10. Default: none. */
      readonly policies?: readonly LimiterPolicy[]
    }

/**
 * Decides whether a key may make one more call. It is called last, after the scope; a request refused for
 * another reason costs nothing. `flexibleLimiter` of `miftah/rate-limit` makes one of a store of
 * rate-limiter-flexible.
 */
export interface Limiter {
  /** Counts the request if it is allowed. It has 250 milliseconds to answer. */
  take(request: LimiterRequest): LimiterAnswer | Promise<LimiterAnswer>
}
