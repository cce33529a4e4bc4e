import type { Limiter, LimiterAnswer, LimiterPolicy, LimiterRequest } from '../../src/index.ts'
import { type Partition, partitionOf } from './partition.ts'
import { checkName } from './policy-name.ts'

/** What a limiter of rate-limiter-flexible resolves and rejects with. */
export interface FlexibleResult {
  /** How many calls are left in the window. */
  readonly remainingPoints: number
  /** When the window ends, in milliseconds from now. */
  readonly msBeforeNext: number
}

/** What is used of a limiter of rate-limiter-flexible, such as `RateLimiterRedis`. */
export interface FlexibleStore {
  /** How many calls a window allows. */
  readonly points: number
  /** The length of the window in seconds. */
  readonly duration: number
  /** Counts a call; rejects with a result when too many were counted, else with an error. */
  consume(key: string, points?: number): Promise<FlexibleResult>
}

/** How {@link flexibleLimiter} counts. */
export interface FlexibleLimiterOptions {
  /** Who shares a limit. Default `workspace`. */
  readonly partition?: Partition
  /** The name of the policy in response headers: visible ASCII without `"` and `\`. Default `default`. */
  readonly name?: string
}

/**
 * A limiter for many processes: the counters live in Redis, PostgreSQL or another store of the
 * library rate-limiter-flexible. In `t` seconds from the first call it allows at most
 * `points + points / duration × t` calls over all processes; its windows are fixed, so around the end
 * of one it may allow `points` twice. Give a function to choose a limiter by
 * `rateLimit` of the plan, by scope or by environment; make each limiter once and with its own
 * `keyPrefix`.
 *
 * Throws a `TypeError` for a bad option. What the store rejects with is a fault of the limiter.
 *
 * @example
 * ```ts
 * import { flexibleLimiter } from 'miftah/rate-limit'
 * import { RateLimiterMemory } from 'rate-limiter-flexible'
 *
 * const limiter = flexibleLimiter(new RateLimiterMemory({ points: 600, duration: 60 }))
 * ```
 */
export function flexibleLimiter(
  store: FlexibleStore | ((request: LimiterRequest) => FlexibleStore),
  { partition, name = 'default' }: FlexibleLimiterOptions = {},
): Limiter {
  const keyOf = partitionOf('flexibleLimiter', partition)
  checkName('flexibleLimiter', name)
  const storeOf = typeof store === 'function' ? store : () => store
  if (typeof store !== 'function' && typeof Object(store).consume !== 'function') {
    throw new TypeError('flexibleLimiter: the limiter must have a method consume.')
  }
  return Object.freeze({
    async take(request): Promise<LimiterAnswer> {
      const chosen = storeOf(request)
      const show = (result: FlexibleResult) => [policyOf(name, chosen, result)]
      try {
        const result = await chosen.consume(keyOf(request), request.cost)
        return { allowed: true, policies: show(result) }
      } catch (rejection) {
        if (!isResult(rejection)) throw rejection
        return {
          allowed: false,
          retryAfterMs: waitMs(chosen, request, rejection),
          policies: show(rejection),
        }
      }
    },
  } satisfies Limiter)
}

/** Too many calls reject with a result; a store that fails rejects with an error. */
function isResult(rejection: unknown): rejection is FlexibleResult {
  const { msBeforeNext } = Object(rejection)
  return !(rejection instanceof Error) && typeof msBeforeNext === 'number'
}

/** What costs more than a window holds is never allowed; nor is more in a window without an end (-1). */
function waitMs(
  { points }: FlexibleStore,
  { cost }: LimiterRequest,
  { msBeforeNext }: FlexibleResult,
) {
  return cost > points || msBeforeNext < 0 ? Infinity : msBeforeNext
}

function policyOf(name: string, store: FlexibleStore, result: FlexibleResult): LimiterPolicy {
  const { points: limit, duration: windowSeconds } = store
  const { remainingPoints, msBeforeNext } = result
  return {
    name,
    limit,
    // A duration of 0 is a window without an end.
    ...(windowSeconds > 0 && { windowSeconds, resetSeconds: msBeforeNext / 1_000 }),
    remaining: Math.max(remainingPoints, 0),
  }
}
