import { checkMembers } from '../lib/known-names.ts'
import { propertyOf } from '../lib/own-data.ts'
import { MAX_INTEGER } from '../limits/limit-check.ts'
import type { RateLimit } from '../model/limiter.ts'

/** A key lives at least this long, in seconds, so that its answer arrives before it expires. */
export const MIN_LIFETIME_S = 60

/** No plan allows a longer overlap: 30 days, in seconds. */
export const LONGEST_OVERLAP_S = 2_592_000

/** 7 days, in seconds. */
const DEFAULT_OVERLAP_S = 604_800

/**
 * What a workspace's plan allows. Any other member, or one that is `undefined`, is a mistake: a misspelt
 * limit must not be none.
 */
export interface Entitlements {
  /** Whether the plan includes the public API: without it no key is created, rotated or accepted. */
  readonly publicApi: boolean
  /** How many keys may be active or paused at once; `null` is unlimited. */
  readonly activeKeyLimit: number | null
  /**
   * How long a key may live, in seconds from its creation, at least 60. With it every new key expires.
   * Default `null`: a key may live for ever. It changes no key that exists.
   */
  readonly maxLifetimeSeconds?: number | null
  /** The longest overlap of a rotation, in seconds: 0 to 2,592,000 (30 days). Default 604,800 (7 days). */
  readonly maxOverlapSeconds?: number
  /** How many calls the plan allows: passed to the `limiter`. Default: the limiter's own limit. */
  readonly rateLimit?: RateLimit
}

/** What a plan allows, with its defaults filled in. */
export type Plan = Required<Omit<Entitlements, 'rateLimit'>> & {
  /** `null` where the plan names none. */
  readonly rateLimit: RateLimit | null
}

/** Three plans as data: `business` (up to 5 active keys), `enterprise` (unlimited) and `none` (no public API). */
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

const MEMBERS: readonly (keyof Entitlements)[] = [
  ...(['publicApi', 'activeKeyLimit', 'maxLifetimeSeconds', 'maxOverlapSeconds'] as const),
  'rateLimit',
]

/** A frozen copy of what the host answered; throws a `TypeError` when it is invalid. */
export function checkEntitlements(answer: unknown): Plan {
  const plan: Partial<Entitlements> = Object(answer)
  checkMembers(plan, MEMBERS, 'entitlements: the answer')
  const publicApi = propertyOf(plan, 'publicApi')
  const activeKeyLimit = propertyOf(plan, 'activeKeyLimit')
  const maxLifetimeSeconds = propertyOf(plan, 'maxLifetimeSeconds') ?? null
  const maxOverlapSeconds = propertyOf(plan, 'maxOverlapSeconds') ?? DEFAULT_OVERLAP_S
  const isLimit = activeKeyLimit === null || isWhole(activeKeyLimit, 0)
  if (typeof publicApi !== 'boolean' || !isLimit) {
    throw new TypeError(
      'entitlements must answer { publicApi: boolean, activeKeyLimit: whole number or null }.',
    )
  }
  if (maxLifetimeSeconds !== null && !isWhole(maxLifetimeSeconds, MIN_LIFETIME_S)) {
    throw new TypeError('entitlements: maxLifetimeSeconds must be a whole number from 60, or null.')
  }
  if (!isWhole(maxOverlapSeconds, 0) || maxOverlapSeconds > LONGEST_OVERLAP_S) {
    throw new TypeError('entitlements: maxOverlapSeconds must be a whole number from 0 to 2592000.')
  }
  const given = propertyOf(plan, 'rateLimit')
  const rateLimit = given === undefined ? null : checkRateLimit(given)
  const limits = { activeKeyLimit, maxLifetimeSeconds, maxOverlapSeconds, rateLimit }
  return Object.freeze({ publicApi, ...limits })
}

function isWhole(value: unknown, least: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least
}

/** About 31 years. In a longer window, what comes back between two calls is lost in rounding. */
const MAX_WINDOW_S = 1_000_000_000

/** A frozen copy of a plan's limit; throws a `TypeError` when it is invalid. */
export function checkRateLimit(given: unknown): RateLimit {
  const plan: Partial<RateLimit> = Object(given)
  checkMembers(plan, ['limit', 'windowSeconds', 'burst'], 'entitlements: rateLimit')
  const { limit, windowSeconds, burst = limit } = plan
  const isSane =
    isWithin(limit, MAX_INTEGER) &&
    isWithin(burst, MAX_INTEGER) &&
    isWithin(windowSeconds, MAX_WINDOW_S) &&
    // So long it takes until a burst is back.
    (burst / limit) * windowSeconds <= MAX_WINDOW_S
  if (isSane) return Object.freeze({ limit, windowSeconds, burst })
  throw new TypeError(
    `entitlements: rateLimit must have a limit and a burst of 1 to ${MAX_INTEGER}, windowSeconds of 1 to ${MAX_WINDOW_S}, and a burst that is back in ${MAX_WINDOW_S} seconds.`,
  )
}

function isWithin(value: unknown, most: number): value is number {
  return typeof value === 'number' && value >= 1 && value <= most
}
