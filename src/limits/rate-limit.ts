import { propertyOf } from '../lib/property.ts'
import type { RateLimit } from '../model/limiter.ts'

/** A frozen copy of a plan's limit; throws a `TypeError` when it is invalid. */
export function checkRateLimit(given: unknown): RateLimit {
  const plan: Partial<RateLimit> = Object(given)
  const limit = propertyOf(plan, 'limit')
  const windowSeconds = propertyOf(plan, 'windowSeconds')
  const burst = propertyOf(plan, 'burst') ?? limit
  if (!isPositive(limit) || !isPositive(windowSeconds) || !isPositive(burst)) {
    throw new TypeError(
      'entitlements must answer a rateLimit of { limit, windowSeconds, burst }, each at least 1.',
    )
  }
  return Object.freeze({ limit, windowSeconds, burst })
}

function isPositive(value: unknown): value is number {
  return typeof value === 'number' && value >= 1 && value <= Number.MAX_SAFE_INTEGER
}
