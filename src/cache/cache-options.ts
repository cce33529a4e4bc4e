import type { OptionChecks } from '../lib/option-checks.ts'
import { runsBetweenRequests } from '../lib/runtime.ts'
import type { ChangeLog } from '../storage/change-log.ts'
import type { KeyStorage } from '../storage/contract.ts'
import { MAX_LEASE_MS } from './barrier.ts'

/** How `authenticate` answers from memory. @inline */
export interface CacheOptions {
  /**
   * How long a process may answer from memory without hearing from the storage, in whole milliseconds, 500 to
   * 30,000. Default 5,000. It is also the longest that `revokeKey` waits for a process that does not answer.
   */
  readonly leaseMs?: number
  /** How many keys are kept in memory, at least 1, at about 0.9 kB each. Default 100,000. */
  readonly maxKeys?: number
  /**
   * How many of the keys that were used last are read at the start, at most `maxKeys`; it then begins at
   * once, and `ready` waits for it. Needs `usageHistory`. Default 0.
   */
  readonly warm?: number
}

/** Checked options with their defaults filled in. */
export interface CacheSettings {
  readonly leaseMs: number
  readonly maxKeys: number
  readonly warm: number
}

const KNOWN: Readonly<Record<keyof CacheOptions, true>> = {
  leaseMs: true,
  maxKeys: true,
  warm: true,
}

const METHODS: readonly (keyof ChangeLog)[] = [
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
  const { leaseMs = 5_000, maxKeys = 100_000, warm = 0 } = checks.object(cache, KNOWN, 'cache')
  checks.that(
    changesOf(storage) !== null,
    'option "cache" needs a storage with a log of changes, such as postgresStorage.',
  )
  checks.that(
    runsBetweenRequests,
    'option "cache" needs a process that is not frozen between requests.',
  )
  const isCount = Number.isSafeInteger(maxKeys) && maxKeys >= 1 && maxKeys <= MAX_KEYS
  checks.that(isCount, `option "cache.maxKeys" must be a whole number from 1 to ${MAX_KEYS}.`)
  checks.delay('cache.leaseMs', leaseMs, MIN_LEASE_MS, MAX_LEASE_MS)
  checks.that(Number.isInteger(leaseMs), 'option "cache.leaseMs" must be a whole number.')
  const isPart = Number.isSafeInteger(warm) && warm >= 0 && warm <= maxKeys
  checks.that(isPart, `option "cache.warm" must be a whole number from 0 to ${maxKeys}.`)
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
