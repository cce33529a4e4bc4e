import type { Limiter, LimiterAnswer, LimiterPolicy, RateLimit } from '../../src/index.ts'
import { ownOptions } from '../../src/lib/own-data.ts'
import { isWithin, MAX_COUNT, MAX_WINDOW_S } from './options.ts'
import { type Partition, partitionOf } from './partition.ts'
import { checkName } from './policy-name.ts'

/** How {@link memoryLimiter} counts. Plans that name a `rateLimit` of their own override the limit. */
export interface MemoryLimiterOptions extends RateLimit {
  /** Who shares a limit. Default `workspace`. */
  readonly partition?: Partition
  /** How many workspaces or keys are remembered: 1 to 10,000,000. Default 100,000. */
  readonly maxPartitions?: number
  /** The name of the policy in response headers: visible ASCII without `"` and `\`. Default `default`. */
  readonly name?: string
  /** A clock in milliseconds that only moves forward. Default: `performance.now`. */
  readonly clock?: () => number
}

/** What a partition has used up, and when. It drains at the rate of its limit. */
interface Level {
  used: number
  atMs: number
  /** The number of the call that moved it to the end of the order in which levels are forgotten. */
  movedAt: number
}

/** A `Map` holds 16,777,216 entries at most. */
const MAX_PARTITIONS = 10_000_000

/** Rounding errors of draining must not cost the last call of a burst. */
const TOLERANCE = 1e-9

/**
 * A limiter for one process, in memory: the generic cell rate algorithm (GCRA), in the form of a
 * leaky bucket (ITU-T I.371). In any `t` seconds it allows at most `burst + limit / windowSeconds × t`
 * calls, and not one less to a caller who never pauses. Several processes allow that much each.
 *
 * Memory is bounded: beyond `maxPartitions`, one that was not among the last `maxPartitions / 2` calls
 * starts afresh.
 *
 * Throws a `TypeError` for a bad option.
 *
 * @example
 * ```ts
 * import { createApiKeys, plans } from 'miftah'
 * import { memoryStorage } from 'miftah/memory'
 * import { memoryLimiter } from 'miftah/rate-limit'
 *
 * const keys = createApiKeys({
 *   storage: memoryStorage(),
 *   entitlements: () => plans.business,
 *   limiter: memoryLimiter({ limit: 600, windowSeconds: 60, burst: 50 }),
 * })
 * ```
 */
export function memoryLimiter(options: MemoryLimiterOptions): Limiter {
  const own = ownOptions(options)
  const { partition, maxPartitions = 100_000, name = 'default', clock = clockMs } = own
  const keyOf = partitionOf('memoryLimiter', partition)
  checkName('memoryLimiter', name)
  const standard = checkRateLimit(own)
  const isCount = Number.isInteger(maxPartitions) && isWithin(maxPartitions, 1, MAX_PARTITIONS)
  assertOption(isCount, 'maxPartitions', `a whole number from 1 to ${MAX_PARTITIONS}`)
  assertOption(typeof clock === 'function', 'clock', 'a function')
  const levels = new Map<string, Level>()
  let calls = 0

  /** What the caller has used up by now, at the end of the order in which levels are forgotten. */
  const levelOf = (key: string, nowMs: number, perMs: number): Level => {
    calls += 1
    const level = levels.get(key)
    if (level === undefined) {
      const unused = { used: 0, atMs: nowMs, movedAt: calls }
      levels.set(key, unused)
      if (levels.size > maxPartitions) forgetOldest()
      return unused
    }
    drain(level, nowMs, perMs)
    // Moving it on each call would take a tenth of an authentication in memory.
    if (calls - level.movedAt >= maxPartitions / 2) {
      level.movedAt = calls
      levels.delete(key)
      levels.set(key, level)
    }
    return level
  }
  const forgetOldest = (): void => {
    const [oldest] = levels.keys()
    if (oldest !== undefined) levels.delete(oldest)
  }

  return Object.freeze({
    take(request): LimiterAnswer {
      const { limit, windowSeconds, burst = limit } = request.rateLimit ?? standard
      const perMs = limit / (windowSeconds * 1_000)
      const level = levelOf(keyOf(request), clock(), perMs)
      // What a larger plan has let through must not outlast the limit of a smaller one.
      level.used = Math.min(level.used, burst)
      const excess = level.used + request.cost - burst
      const allowed = excess <= TOLERANCE
      if (allowed) level.used += request.cost
      // What costs more than the whole burst is never allowed.
      const retryAfterMs = request.cost > burst ? Infinity : wholeAbove(excess / perMs)
      const waits = !allowed && retryAfterMs < Infinity
      const policies: readonly LimiterPolicy[] = [
        {
          name,
          limit: burst,
          windowSeconds: wholeAbove(burst / perMs / 1_000),
          remaining: Math.floor(Math.max(burst - level.used + TOLERANCE, 0)),
          resetSeconds: wholeAbove((waits ? retryAfterMs : level.used / perMs) / 1_000),
        },
      ]
      return allowed ? { allowed, policies } : { allowed, retryAfterMs, policies }
    },
  } satisfies Limiter)
}

/** A clock that steps back neither frees nor blocks. */
function drain(level: Level, nowMs: number, perMs: number): void {
  if (nowMs <= level.atMs) return
  level.used = Math.max(level.used - (nowMs - level.atMs) * perMs, 0)
  level.atMs = nowMs
}

function checkRateLimit({ limit, windowSeconds, burst = limit }: RateLimit): RateLimit {
  const count = `1 to ${MAX_COUNT}`
  assertOption(isWithin(limit, 1, MAX_COUNT), 'limit', count)
  assertOption(isWithin(windowSeconds, 1, MAX_WINDOW_S), 'windowSeconds', `1 to ${MAX_WINDOW_S}`)
  assertOption(isWithin(burst, 1, MAX_COUNT), 'burst', count)
  const returns = (burst / limit) * windowSeconds <= MAX_WINDOW_S
  assertOption(returns, 'burst', `so small that it is back within ${MAX_WINDOW_S} seconds`)
  return { limit, windowSeconds, burst }
}

function assertOption(holds: boolean, option: string, what: string): void {
  if (!holds) throw new TypeError(`memoryLimiter: option "${option}" must be ${what}.`)
}

/** Rounds up, but not for a rounding error. */
function wholeAbove(value: number): number {
  return Math.ceil(value - 1e-6)
}

/** A duration must not depend on a clock that can be set. */
function clockMs(): number {
  return performance.now()
}
