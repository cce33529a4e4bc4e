import { propertyOf } from '../keys/input/own-data.ts'
import type { RateLimit } from '../limits/limiter.ts'
import { checkRateLimit } from '../limits/rate-limit.ts'

/** What a workspace's plan allows. */
export interface Entitlements {
  /** Whether the plan includes the public API: without it no key is created, rotated or accepted. */
  readonly publicApi: boolean
  /** How many keys may be active at once; `null` is unlimited. */
  readonly activeKeyLimit: number | null
  /** How many calls the plan allows: handed on to the option `limiter`. Default: what that says. */
  readonly rateLimit?: RateLimit
}

/**
 * The host's function that knows the plan of a workspace. When it throws, rejects or answers
 * something else than {@link Entitlements}, the operation throws {@link OutageError}.
 */
export type EntitlementsOf = (workspaceId: string) => Entitlements | Promise<Entitlements>

/**
 * Three plans as data: `business` (up to 5 active keys), `enterprise` (unlimited) and `none` (no
 * public API).
 *
 * @example
 * ```ts
 * import { plans } from 'miftah'
 *
 * plans.business //=> { publicApi: true, activeKeyLimit: 5 }
 * ```
 */
export const plans: {
  /** The public API, and up to 5 active keys. */
  readonly business: Entitlements
  /** The public API, and any number of keys. */
  readonly enterprise: Entitlements
  /** No public API and no keys. */
  readonly none: Entitlements
} = Object.freeze({
  business: Object.freeze({ publicApi: true, activeKeyLimit: 5 }),
  enterprise: Object.freeze({ publicApi: true, activeKeyLimit: null }),
  none: Object.freeze({ publicApi: false, activeKeyLimit: 0 }),
})

/** A frozen copy of what the host answered; throws a `TypeError` when it is invalid. */
export function checkEntitlements(answer: unknown): Entitlements {
  const plan: Partial<Entitlements> = Object(answer)
  const publicApi = propertyOf(plan, 'publicApi')
  const activeKeyLimit = propertyOf(plan, 'activeKeyLimit')
  if (typeof publicApi !== 'boolean' || !isLimit(activeKeyLimit)) {
    throw new TypeError(
      'entitlements must answer { publicApi: boolean, activeKeyLimit: whole number or null }.',
    )
  }
  const rateLimit = propertyOf(plan, 'rateLimit')
  if (rateLimit === undefined) return Object.freeze({ publicApi, activeKeyLimit })
  return Object.freeze({ publicApi, activeKeyLimit, rateLimit: checkRateLimit(rateLimit) })
}

function isLimit(limit: unknown): limit is number | null {
  return limit === null || (Number.isSafeInteger(limit) && (limit as number) >= 0)
}
