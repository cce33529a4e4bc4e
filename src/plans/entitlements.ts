import { checkMembers } from '../lib/known-names.ts'
import { propertyOf } from '../lib/own-data.ts'
import { checkRateLimit } from '../limits/rate-limit.ts'
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
  'publicApi',
  'activeKeyLimit',
  'maxLifetimeSeconds',
  'maxOverlapSeconds',
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
  if (typeof publicApi !== 'boolean' || !isWholeOrNull(activeKeyLimit, 0)) {
    throw new TypeError(
      'entitlements must answer { publicApi: boolean, activeKeyLimit: whole number or null }.',
    )
  }
  if (!isWholeOrNull(maxLifetimeSeconds, MIN_LIFETIME_S)) {
    throw new TypeError('entitlements: maxLifetimeSeconds must be a whole number from 60, or null.')
  }
  if (!isOverlap(maxOverlapSeconds)) {
    throw new TypeError('entitlements: maxOverlapSeconds must be a whole number from 0 to 2592000.')
  }
  const rateLimit = propertyOf(plan, 'rateLimit')
  return Object.freeze({
    publicApi,
    activeKeyLimit,
    maxLifetimeSeconds,
    maxOverlapSeconds,
    rateLimit: rateLimit === undefined ? null : checkRateLimit(rateLimit),
  })
}

function isWholeOrNull(limit: unknown, least: number): limit is number | null {
  return limit === null || (Number.isSafeInteger(limit) && (limit as number) >= least)
}

function isOverlap(seconds: unknown): seconds is number {
  return (
    Number.isSafeInteger(seconds) &&
    (seconds as number) >= 0 &&
    (seconds as number) <= LONGEST_OVERLAP_S
  )
}
