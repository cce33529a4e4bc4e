/**
 * What `stats()` answers.
 *
 * @inline
 */
export type ApiKeysStats = {
  /** Statistics of the cache in this process, or `null` where the option `cache` is not set. */
  readonly cache: {
    /** How many keys are in memory. */
    readonly keys: number
    /** Authentications answered from memory since the start. */
    readonly hits: number
    /** Authentications that read the storage. The hit rate is `hits / (hits + misses)`. */
    readonly misses: number
    /** Keys that were dropped to make room for others. */
    readonly evictions: number
    /** Whether this process may answer from memory now. */
    readonly hasLease: boolean
    /**
     * How many processes answer from memory, as of an earlier call of `stats()`; `null` before the first
     * one is answered. A call while there is a lease reads it anew, at most once in `leaseMs`.
     */
    readonly nodes: number | null
    /** How many changes the slowest of them had not acknowledged, read with `nodes`. */
    readonly lag: number | null
  } | null
}

/** Those of a cache. */
export type CacheStats = NonNullable<ApiKeysStats['cache']>
