/**
 * A limiter for the option `limiter` of `createApiKeys`, over the stores of rate-limiter-flexible.
 *
 * @module miftah/rate-limit
 */

import type { Limiter } from '../../src/index.ts'
import { OptionChecks, type OptionRules, optional } from '../../src/lib/option-checks.ts'

/** Who shares a limit: all keys of a workspace, or nobody, so that each key has its own. */
export type Partition = 'workspace' | 'key'

/** What a limiter of rate-limiter-flexible resolves and rejects with. */
export interface FlexibleResult {
  /** How many calls are left in the window. */
  readonly remainingPoints: number
  /** When the window ends, in milliseconds from now; -1 for one without an end. */
  readonly msBeforeNext: number
  /** How many calls the window has counted, the refused one included; 0 when it was not counted. */
  readonly consumedPoints?: number
}

type LimiterRequest = Parameters<Limiter['take']>[0]
type LimiterAnswer = Awaited<ReturnType<Limiter['take']>>
type LimiterPolicy = NonNullable<LimiterAnswer['policies']>[number]

/** What is used of a limiter of rate-limiter-flexible, such as `RateLimiterRedis`. */
export interface FlexibleStore {
  /** How many calls a window allows: 1 to 999,999,999,999,999. */
  readonly points: number
  /** The length of the window in seconds, up to 1,000,000,000; 0 for one without an end. */
  readonly duration: number
  /** For how many seconds too many calls block; then refused calls stay counted. Default 0. */
  readonly blockDuration?: number
  /** How many counted calls block in memory; then refused calls stay counted. Default 0. */
  readonly inMemoryBlockOnConsumed?: number
  /** Counts a call; rejects with a result when too many were counted, else with an error. */
  consume(key: string, points?: number): Promise<FlexibleResult>
  /** Takes a call off the count. Without it refused calls stay counted until the window ends. */
  reward?(key: string, points?: number): Promise<unknown>
}

/** How {@link flexibleLimiter} counts. */
export interface FlexibleLimiterOptions {
  /** Who shares a limit. Default `workspace`. */
  readonly partition?: Partition
  /** The name of the policy in response headers: visible ASCII without `"` and `\`. Default `default`. */
  readonly name?: string
}

const checks = new OptionChecks('flexibleLimiter')

const RULES: OptionRules<FlexibleLimiterOptions> = {
  partition: optional(
    (value) => value === 'workspace' || value === 'key',
    'must be "workspace" or "key".',
  ),
  // As `createApiKeys` takes it of a limiter: a String of RFC 9651 §3.3.3 without backslashes.
  name: optional(
    (value) => typeof value === 'string' && /^[\x20\x21\x23-\x5B\x5D-\x7E]{1,64}$/.test(value),
    'must be 1 to 64 visible ASCII characters without " and \\.',
  ),
}

/**
 * A limiter whose counters live in Redis, PostgreSQL, the memory of the process or another store of the
 * library rate-limiter-flexible. In `t` seconds from the first call it allows at most
 * `points + points / duration × t` calls over all processes; its windows are fixed, so around the end
 * of one it may allow `points` twice. Give a function to choose a limiter by
 * `rateLimit` of the plan, by scope or by environment; make each limiter once and with its own
 * `keyPrefix`.
 *
 * A refused call is taken off the count again, except in the last second of a window. A call that
 * costs more than `points` is refused without asking the store.
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
  options: FlexibleLimiterOptions = {},
): Limiter {
  const { partition = 'workspace', name = 'default' } = checks.object(options, RULES)
  if (typeof store !== 'function') checkStore(store)
  const storeOf = typeof store === 'function' ? store : () => store
  return Object.freeze({
    async take(request): Promise<LimiterAnswer> {
      const { key, cost } = request
      const chosen = storeOf(request)
      checkStore(chosen)
      if (cost > chosen.points) return { allowed: false, retryAfterMs: Infinity }
      const counter = partition === 'key' ? key.id : key.workspaceId
      const askedMs = performance.now()
      try {
        const result = await chosen.consume(counter, cost)
        return { allowed: true, policies: [policyOf(name, chosen, result)] }
      } catch (refusal) {
        if (!isResult(refusal)) throw refusal
        const givesBack = canGiveBack(chosen, refusal, performance.now() - askedMs)
        // Nobody waits for it: a store that is slow now must not turn the refusal into a fault.
        if (givesBack) chosen.reward?.(counter, cost).catch(() => {})
        // In a window without an end (-1) nothing comes back.
        const retryAfterMs = refusal.msBeforeNext < 0 ? Infinity : refusal.msBeforeNext
        const policies = [policyOf(name, chosen, refusal, givesBack ? cost : 0)]
        return { allowed: false, retryAfterMs, policies }
      }
    },
  } satisfies Limiter)
}

/** Throws a `TypeError` for what cannot count, or counts more than a response header can show. */
function checkStore(store: FlexibleStore): void {
  const { consume, points, duration } = Object(store) as Partial<FlexibleStore>
  checks.that(typeof consume === 'function', 'the limiter must have a method consume.')
  // The largest number in a response header (RFC 9651 §3.3.1), and the longest window of a plan.
  const [most, longest] = [999_999_999_999_999, 1_000_000_000]
  const hasPoints = typeof points === 'number' && points >= 1 && points <= most
  checks.that(hasPoints, `the limiter must have "points" from 1 to ${most}.`)
  const hasDuration = typeof duration === 'number' && duration >= 0 && duration <= longest
  checks.that(hasDuration, `the limiter must have a "duration" up to ${longest}.`)
}

/** Too many calls reject with a result; a store that fails rejects with an error. */
function isResult(rejection: unknown): rejection is FlexibleResult {
  return !(rejection instanceof Error) && typeof Object(rejection).msBeforeNext === 'number'
}

/**
 * Whether a refused call was counted and can be taken off the count again. What is given back in the last second of
 * a window may belong to the next one, which would begin with a credit.
 */
function canGiveBack(store: FlexibleStore, result: FlexibleResult, tookMs: number): boolean {
  const { msBeforeNext, consumedPoints = 0 } = result
  const blocks = (store.blockDuration ?? 0) > 0 || (store.inMemoryBlockOnConsumed ?? 0) > 0
  const lasts = msBeforeNext < 0 || msBeforeNext - tookMs > 1_000
  const isCounted = consumedPoints > store.points
  return isCounted && !blocks && lasts && typeof store.reward === 'function'
}

function policyOf(
  name: string,
  { points: limit, duration: windowSeconds }: FlexibleStore,
  { remainingPoints, msBeforeNext, consumedPoints = 0 }: FlexibleResult,
  givenBack = 0,
): LimiterPolicy {
  const left = givenBack > 0 ? limit - consumedPoints + givenBack : remainingPoints
  // A duration of 0 is a window without an end.
  const window = windowSeconds > 0 && { windowSeconds, resetSeconds: msBeforeNext / 1_000 }
  return { name, limit, ...window, remaining: Math.max(left, 0) }
}
