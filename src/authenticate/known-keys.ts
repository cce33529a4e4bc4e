import type { Accepted } from '../model/denial.ts'
import type { AuthenticatedKey } from '../model/key.ts'
import type { KeyRecord } from '../model/key-record.ts'
import type { RememberedPlan } from '../plans/entitlements-cache.ts'
import type { RecordReader } from '../storage/record.ts'
import type { UsageCount } from './usage-counter.ts'

/**
 * A key as requests with it are decided. What they have looked up stays with it: -3 % of a guarded
 * request on Fastify.
 */
export interface KnownKey<S extends string> {
  readonly record: KeyRecord
  readonly key: AuthenticatedKey<S>
  /** The answer to a request that the key opens. Made once: -7 % in memory. */
  readonly accepted: Accepted<S>
  /** Whether it is restricted in a type of resource. */
  readonly isRestricted: boolean
  /** The plan of its workspace, if it was looked up. */
  plan: RememberedPlan | null
  /** Where its uses are counted, until they are delivered. */
  count: UsageCount | null
}

/** An instant at which no end has come. */
const BEFORE_EVERYTHING = Number.NEGATIVE_INFINITY

/** Turns records into keys to decide about. */
export class KnownKeys<S extends string> {
  readonly #records: RecordReader<S>
  readonly #known = new WeakMap<KeyRecord, KnownKey<S>>()

  constructor(records: RecordReader<S>) {
    this.#records = records
  }

  /**
   * The key of a record as an accepted request sees it: `active` or `retiring`, unless the record
   * itself says `paused` or `revoked`. A record that is frozen through and through cannot change, so
   * it is checked once and gives the same key for as long as the storage keeps it. Throws for a record
   * that is invalid.
   */
  read(record: KeyRecord): KnownKey<S> {
    const known = this.#known.get(record)
    if (known !== undefined) return known
    const key = this.#records.keyAt(record, BEFORE_EVERYTHING)
    const accepted = Object.freeze({ ok: true, key })
    const { creator, scopes, resources, networks, metadata, pausedBy } = record
    const isRestricted = Object.keys(resources).length > 0
    const read: KnownKey<S> = { record, key, accepted, isRestricted, plan: null, count: null }
    const parts = [record, creator, scopes, resources, networks, metadata, pausedBy]
    parts.push(...Object.values(resources))
    if (parts.every(Object.isFrozen)) this.#known.set(record, read)
    return read
  }
}
