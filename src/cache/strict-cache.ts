import type { ChangeLog, LoggedChange, NodeCount } from '../storage/change-log.ts'
import { Sweep } from './barrier.ts'
import { KeyCache } from './key-cache.ts'
import { Lease, type LeaseParts } from './lease.ts'

export interface StrictCacheParts
  extends Omit<LeaseParts, 'log' | 'onChange' | 'onFlush' | 'onRenewal'> {
  readonly log: ChangeLog
  readonly maxKeys: number
  /** Called with the workspace whose plan has changed, or `null` for all. */
  readonly onPlanChange: (workspaceId: string | null) => void
  /** Called when the registered nodes cannot be read. */
  readonly onFailedLook: (error: unknown) => void
  /** Runs a check within the time of a call; what it throws becomes an outage. */
  readonly inTime: (check: () => void | Promise<void>) => void | Promise<void>
}

/** As many keys as a storage reads in one statement. */
const WARMED_AT_ONCE = 512

/** Reads a key from the storage: what was committed before the call is in the answer. */
export type ReadKey<T> = () => T | null | Promise<T | null>

/**
 * Answers keys from memory, yet once a change has passed the barrier, no `find` that begins later, on any
 * node, answers with the state before it. Without a lease it answers nothing: the storage may be a primary
 * that was replaced while it was frozen, and has not noticed.
 */
export class StrictCache<T> {
  protected readonly parts: StrictCacheParts
  readonly #keys: KeyCache<T>
  readonly #lease: Lease
  readonly #sweep: Sweep
  #isClosed = false
  #hits = 0
  #misses = 0
  #count: NodeCount | null = null
  #countedMs = Number.NEGATIVE_INFINITY

  constructor(parts: StrictCacheParts) {
    this.parts = parts
    this.#keys = this.makeKeys()
    this.#sweep = new Sweep(parts)
    this.#lease = this.makeLease(this.#leaseParts())
  }

  /** The key with this hash, from memory or as `read` answers. Rejects while there is no lease. */
  find(hash: string, read: ReadKey<T>): T | null | Promise<T | null> {
    const found = this.#keys.get(hash) ?? (this.#keys.isUnknown(hash) ? null : undefined)
    return found !== undefined && this.#isHit() ? found : this.#read(hash, read)
  }

  /** The key with this hash, if it is in memory and may be answered; `null` says nothing. */
  remembered(hash: string): T | null {
    const found = this.#keys.get(hash)
    return found !== undefined && this.#isHit() ? found : null
  }

  /** Whether what this node remembers, keys or plans, may be used now. */
  isCurrent(): boolean {
    return this.#lease.isValid()
  }

  /** The id of this node for the barrier, or `null`. */
  get node(): string | null {
    return this.#lease.node
  }

  /** Call it once the storage has answered a change of a key, before the barrier. */
  forget(hash: string): void {
    this.#keys.drop(hash)
  }

  /**
   * Makes all nodes forget the plan of a workspace, or all plans; the barrier is to follow. Rejects when the
   * log did not store the change.
   */
  async changePlan(workspaceId: string | null): Promise<void> {
    this.parts.onPlanChange(workspaceId)
    await this.parts.log.changePlan(workspaceId)
    // Again: a question may have been answered meanwhile.
    this.parts.onPlanChange(workspaceId)
  }

  get stats(): CacheStats {
    const hasLease = this.#lease.isValid()
    if (hasLease) void this.#countNodes()
    return Object.freeze({
      keys: this.#keys.size,
      hits: this.#hits,
      misses: this.#misses,
      evictions: this.#keys.evictions,
      hasLease,
      nodes: this.#count?.nodes ?? null,
      lag: this.#count?.lag ?? null,
    })
  }

  /** Reads keys as requests would, a few at a time: between them, requests have their turn. */
  async warm(hashes: readonly string[], read: (hash: string) => ReturnType<ReadKey<T>>) {
    await this.#renewal()
    for (let from = 0; from < hashes.length && !this.#isClosed; from += WARMED_AT_ONCE) {
      const some = hashes.slice(from, from + WARMED_AT_ONCE)
      await Promise.all(
        some.map(async (hash) => this.#keys.get(hash) ?? this.#fill(hash, () => read(hash))),
      )
    }
  }

  /** Stops answering from memory and removes the node. Rejects when the log cannot be reached. */
  close(): Promise<void> {
    this.#isClosed = true
    this.#sweep.stop()
    return this.#lease.stop()
  }

  protected makeKeys(): KeyCache<T> {
    return new KeyCache(this.parts.maxKeys)
  }

  protected makeLease(parts: LeaseParts): Lease {
    return new Lease(parts)
  }

  /** The read may have taken longer than the lease. */
  protected assertLease(): void {
    if (!this.#lease.isValid()) throw new Error('this process has no lease')
  }

  /** The clocks are read last: nothing may be awaited between reading an entry and this. */
  #isHit(): boolean {
    const isValid = this.#lease.isValid()
    if (isValid) this.#hits += 1
    return isValid
  }

  async #renewal(): Promise<void> {
    await this.#lease.renewal()
    this.assertLease()
  }

  /** Reads what `stats` shows, at most once a lease. */
  async #countNodes(): Promise<void> {
    const { log, machine, leaseMs } = this.parts
    const nowMs = machine.monotonicMs()
    if (nowMs - this.#countedMs < leaseMs) return
    this.#countedMs = nowMs
    this.#count = await log.countNodes().catch(() => this.#count)
  }

  #leaseParts(): LeaseParts {
    return {
      ...this.parts,
      onChange: (change) => this.#apply(change),
      onFlush: () => this.#forgetAll(),
      onRenewal: (head, isFirst) => {
        this.#keys.forgetUnknown()
        if (isFirst) void this.#sweep.run(head, this.#lease.node)
      },
    }
  }

  #apply(change: LoggedChange): void {
    if (change.kind === 'key') this.#keys.drop(change.hash)
    else if (change.kind === 'plan') this.parts.onPlanChange(change.workspaceId)
    else this.#forgetAll()
  }

  #forgetAll(): void {
    this.#keys.clear()
    this.parts.onPlanChange(null)
  }

  async #read(hash: string, read: ReadKey<T>): Promise<T | null> {
    this.#misses += 1
    if (!this.#lease.isValid()) await this.parts.inTime(() => this.#renewal())
    const found = await this.#fill(hash, read)
    await this.parts.inTime(() => this.assertLease())
    return found
  }

  async #fill(hash: string, read: ReadKey<T>): Promise<T | null> {
    const fill = this.#keys.begin(hash)
    try {
      const found = await read()
      this.#keys.end(fill, found)
      return found
    } finally {
      this.#keys.abandon(fill)
    }
  }
}

/** What `stats()` answers. @inline */
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
     * How many processes answer from memory, as of an earlier call of `stats()`; `null` before the first one
     * is answered. A call while there is a lease reads it anew, at most once in `leaseMs`.
     */
    readonly nodes: number | null
    /** How many changes the slowest of them had not acknowledged, read with `nodes`. */
    readonly lag: number | null
  } | null
}

export type CacheStats = NonNullable<ApiKeysStats['cache']>
