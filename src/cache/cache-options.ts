import { count, delay, type OptionChecks } from '../lib/option-checks.ts'
import { runsBetweenRequests } from '../lib/runtime.ts'
import type { ChangeLog } from '../storage/change-log.ts'
import type { KeyStorage } from '../storage/contract.ts'
import { MAX_LEASE_MS } from './barrier.ts'

/** How `authenticate` answers from memory. @inline */
export interface CacheOptions {
  /**
   * How long a process may answer without hearing from the storage, and the longest that `revokeKey` waits for
   * one that does not answer: 500 to 30,000 whole milliseconds. Default 5,000.
   */
  readonly leaseMs?: number
  /** How many keys are kept in memory, at least 1, at about 0.9 kB each. Default 100,000. */
  readonly maxKeys?: number
  /**
   * How many of the keys that were used last are read at the start, at most `maxKeys`. Needs `usageHistory`.
   * Default 0.
   */
  readonly warm?: number
}

export type CacheSettings = Required<CacheOptions>

const METHODS = [
  ...(['register', 'renew', 'laggingNodes', 'countNodes', 'evict', 'leave', 'changePlan'] as const),
]

/** A third of it must leave time for a renewal. */
const MIN_LEASE_MS = 500

/** So many keys take 0.8 GB besides their records. */
const MAX_KEYS = 2 ** 24

/** Throws a `TypeError` that names the option at fault; `null` without a cache. */
export function checkCache(
  checks: OptionChecks,
  cache: CacheOptions | undefined,
  { storage, hasHistory }: { readonly storage: KeyStorage; readonly hasHistory: boolean },
): CacheSettings | null {
  if (cache === undefined) return null
  const rules = {
    leaseMs: delay(MIN_LEASE_MS, MAX_LEASE_MS),
    maxKeys: count(1, MAX_KEYS),
    warm: true,
  } as const
  const own = checks.object(cache, rules, 'cache')
  const { leaseMs = 5_000, maxKeys = 100_000, warm = 0 } = own
  checks.that(Number.isInteger(leaseMs), 'option "cache.leaseMs" must be a whole number.')
  checks.rule('cache.warm', warm, count(0, maxKeys))
  checks.that(
    changesOf(storage) !== null,
    'option "cache" needs a storage with a log of changes, such as postgresStorage.',
  )
  checks.that(
    runsBetweenRequests,
    'option "cache" needs a process that is not frozen between requests.',
  )
  checks.that(
    warm === 0 || typeof storage.changes?.recentHashes === 'function',
    'option "cache.warm" needs a storage that knows recent uses, such as postgresStorage.',
  )
  checks.that(warm === 0 || hasHistory, 'option "cache.warm" needs the option "usageHistory".')
  return { leaseMs, maxKeys, warm }
}

/** The log of a storage, or `null`. A wrapper may answer a function for every name. */
export function changesOf({ changes }: KeyStorage): ChangeLog | null {
  if (typeof changes !== 'object' || changes === null) return null
  return METHODS.every((method) => typeof changes[method] === 'function') ? changes : null
}
