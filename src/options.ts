import { type CacheOptions, checkCache } from './cache/cache-options.ts'
import type { ApiKeyEvent } from './events/api-key-event.ts'
import {
  aFunction,
  count,
  delay,
  flag,
  having,
  OptionChecks,
  type OptionRules,
  optional,
  optionalFunction,
  required,
} from './lib/option-checks.ts'
import { silenced } from './lib/tap.ts'
import type { Authentication } from './model/denial.ts'
import type { Limiter } from './model/limiter.ts'
import type { Entitlements } from './plans/entitlements.ts'
import { NO_RESOURCES, type ResourceTypes } from './restrictions/resource-types.ts'
import type { ScopeCatalogue } from './scopes/catalogue.ts'
import { type DefaultScope, defaultCatalogue } from './scopes/default-catalogue.ts'
import { isBrand } from './secret/format.ts'
import { checkFormats, type KeyFormat } from './secret/key-format.ts'
import type { KeyStorage } from './storage/contract.ts'
import { STORAGE_METHODS } from './storage/methods.ts'

/** How {@link createApiKeys} is set up. Copied at construction; later changes have no effect. */
export interface ApiKeysOptions<S extends string = DefaultScope, T extends string = string> {
  /** Where keys live. Required: an in-memory default would lose every key on restart. */
  readonly storage: KeyStorage
  /** What the plan of a workspace allows. A function that throws, or answers anything else, is an outage. */
  readonly entitlements: (workspaceId: string) => Entitlements | Promise<Entitlements>
  /** The scopes on offer. Default: {@link defaultCatalogue}, 24 scopes in 11 groups. */
  readonly catalogue?: ScopeCatalogue<S>
  /** What keys can be restricted to some of, such as projects; made by `defineResources`. Default: nothing. */
  readonly resources?: ResourceTypes<T>
  /**
   * Whether keys may be restricted to private networks too. A proxy that is set up wrongly gives every caller
   * such an address. Default `false`.
   */
  readonly privateNetworks?: boolean
  /** The first word of every secret: a lower-case letter and 1 to 3 letters or digits. Default `svc`. */
  readonly brand?: string
  /**
   * Answers `authenticate` from the memory of each process; even so, no process accepts a key once its
   * `revokeKey` has resolved. Default: off. It needs a storage that supports it, such as PostgreSQL.
   */
  readonly cache?: CacheOptions
  /** The forms of keys that other systems issued, at most 8, tried in order after miftah's own. Default: none. */
  readonly formats?: readonly KeyFormat[]
  /** How often counted uses are written, in milliseconds, at least 1. Default 1,000. */
  readonly usageFlushMs?: number
  /** How long requests of each key are kept by hour; `false` keeps none. Default: 32 days. */
  readonly usageHistory?: UsageHistoryOptions | false
  /**
   * How long `authenticate` remembers a plan, in milliseconds; 0 does not. Default 60,000. Creating, importing,
   * rotating, resuming, listing and a widening update always ask.
   */
  readonly entitlementsTtlMs?: number
  /** After how long a call of the storage or of `entitlements` fails, in milliseconds, at least 1. Default 5,000. */
  readonly storageTimeoutMs?: number
  /** Decides, after all other checks, whether the key may make one more call. Default: no limits. */
  readonly limiter?: Limiter
  /** What happens when the limiter throws, takes over 250 ms or returns an invalid answer. Default `allow`. */
  readonly onLimiterFault?: 'allow' | 'refuse'
  /**
   * Called after each change, refused request and fault in this process, without secrets and hashes. Its errors
   * are ignored, and nothing waits for it.
   */
  readonly onEvent?: (event: ApiKeyEvent<S>) => void
  /**
   * Called with every result of `authenticate` and `authenticateSecret`, within the request. Its errors are
   * ignored, and nothing waits for it. Default: none.
   */
  readonly onAuthentication?: (answer: Authentication<S>) => void
  /**
   * The clock for the instants that are stored and shown; durations have the monotonic clock. Default: the
   * system's.
   */
  readonly now?: () => Date
}

/** Checked options with their defaults filled in. */
export type Settings<S extends string> = ReturnType<typeof checkOptions<S>>

const checks = new OptionChecks('createApiKeys')

const RULES: OptionRules<ApiKeysOptions> = {
  storage: required(STORAGE_METHODS),
  entitlements: aFunction,
  catalogue: optional(
    (value) => typeof Object(value).has === 'function' && Array.isArray(Object(value).scopes),
    'must come from defineScopes or pickScopes.',
  ),
  resources: optional(
    (value) => Array.isArray(Object(value).types) && Array.isArray(Object(value).entries),
    'must come from defineResources.',
  ),
  privateNetworks: flag,
  brand: optional(isBrand, 'must be a lower-case letter and 1 to 3 lower-case letters or digits.'),
  cache: true,
  formats: true,
  usageFlushMs: delay(1),
  usageHistory: true,
  entitlementsTtlMs: delay(0),
  storageTimeoutMs: delay(1),
  limiter: having(['take']),
  onLimiterFault: optional(
    (value) => value === 'allow' || value === 'refuse',
    'must be "allow" or "refuse".',
  ),
  onEvent: optionalFunction,
  onAuthentication: optionalFunction,
  now: optionalFunction,
}

/** Throws a `TypeError` that names the option at fault. */
export function checkOptions<S extends string>(options: ApiKeysOptions<S>) {
  const own = checks.object<ApiKeysOptions<S>>(options, RULES)
  const { storage, entitlements, limiter, onEvent, onAuthentication, now } = own
  const { onLimiterFault: onFault = 'allow' } = own
  // Without a catalogue S is inferred as DefaultScope, which the compiler cannot see here.
  const catalogue = (own.catalogue ?? defaultCatalogue) as unknown as ScopeCatalogue<S>
  const resources: ResourceTypes = own.resources ?? NO_RESOURCES
  const usageHistory = checkUsageHistory(checks, own.usageHistory)
  return {
    storage,
    entitlements,
    catalogue,
    resources,
    privateNetworks: own.privateNetworks ?? false,
    brand: own.brand ?? 'svc',
    formats: checkFormats(checks, own.formats),
    usageFlushMs: own.usageFlushMs ?? 1_000,
    usageHistory,
    cache: checkCache(checks, own.cache, { storage, hasHistory: usageHistory !== null }),
    entitlementsTtlMs: own.entitlementsTtlMs ?? 60_000,
    storageTimeoutMs: own.storageTimeoutMs ?? 5_000,
    limits: limiter === undefined ? null : { limiter, onFault },
    onEvent: onEvent === undefined ? null : silenced(onEvent),
    onAuthentication: onAuthentication === undefined ? null : silenced(onAuthentication),
    nowMs: now === undefined ? Date.now : () => instant(now()),
  }
}

/** An invalid Date could not be stored. */
function instant(now: Date): number {
  const atMs = now.getTime()
  checks.that(Number.isFinite(atMs), 'option "now" must answer a valid Date.')
  return atMs
}

/** How long the history of usage is kept. @inline */
export interface UsageHistoryOptions {
  /** For how many whole days in UTC before today hours are kept, 1 to 400. Default 32. */
  readonly keepDays?: number
}

export type UsageHistorySettings = Required<UsageHistoryOptions>

const MOST_DAYS = 400

/** Throws a `TypeError` that names the option at fault; `null` when no history is kept. */
export function checkUsageHistory(
  checks: OptionChecks,
  options: UsageHistoryOptions | false = {},
): UsageHistorySettings | null {
  if (options === false) return null
  const rules = { keepDays: count(1, MOST_DAYS) }
  const { keepDays = 32 } = checks.object(options, rules, 'usageHistory')
  return { keepDays }
}
