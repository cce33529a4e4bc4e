import { checkMembers } from '../lib/known-names.ts'
import type { RateLimit } from '../model/limiter.ts'
import { MAX_INTEGER } from './check-answer.ts'

/** About 31 years. In a longer window, what comes back between two calls is lost in rounding. */
const MAX_WINDOW_S = 1_000_000_000

const MEMBERS: readonly (keyof RateLimit)[] = ['limit', 'windowSeconds', 'burst']

/** A frozen copy of a plan's limit; throws a `TypeError` when it is invalid. */
export function checkRateLimit(given: unknown): RateLimit {
  const plan: Partial<RateLimit> = Object(given)
  checkMembers(plan, MEMBERS, 'entitlements: rateLimit')
  const { limit, windowSeconds, burst = limit } = plan
  const isSane =
    isWithin(limit, MAX_INTEGER) &&
    isWithin(burst, MAX_INTEGER) &&
    isWithin(windowSeconds, MAX_WINDOW_S) &&
    // So long it takes until a burst is back.
    (burst / limit) * windowSeconds <= MAX_WINDOW_S
  if (!isSane) {
    throw new TypeError(
      `entitlements: rateLimit must have a limit and a burst of 1 to ${MAX_INTEGER}, windowSeconds of 1 to ${MAX_WINDOW_S}, and a burst that is back in ${MAX_WINDOW_S} seconds.`,
    )
  }
  return Object.freeze({ limit, windowSeconds, burst })
}

function isWithin(value: unknown, most: number): value is number {
  return typeof value === 'number' && value >= 1 && value <= most
}
