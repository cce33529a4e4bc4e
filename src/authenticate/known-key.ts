import type { ApiKey } from '../keys/api-key.ts'
import type { Plan } from '../plans/entitlements-cache.ts'
import type { KeyRecord } from '../storage/contract.ts'
import type { RecordReader } from '../storage/record.ts'
import type { Acceptance } from './denial.ts'
import type { Tally } from './usage-counter.ts'

/** One state of a key, with all that the next request of the same key needs at hand. */
export class KnownKey<S extends string> {
  readonly record: KeyRecord
  /** The key's scopes that the catalogue still has. */
  readonly scopes: readonly S[]
  /** What was last known of the workspace's plan. */
  plan: Plan | null = null
  /** Where its uses were counted last. */
  tally: Tally | null = null
  /** What `authenticate` answers for this state of the key. */
  readonly accepted: Promise<Acceptance<S>>

  constructor(record: KeyRecord, key: ApiKey<S>) {
    this.record = record
    this.scopes = key.scopes
    this.accepted = Promise.resolve(Object.freeze({ ok: true, key }))
  }
}

/**
 * The keys that need no second check. A record that is frozen through and through cannot change, so
 * it is remembered as long as the storage keeps it; any other is checked at each sight.
 */
export class KnownKeys<S extends string> {
  readonly #records: RecordReader<S>
  readonly #known = new WeakMap<KeyRecord, KnownKey<S>>()

  constructor(records: RecordReader<S>) {
    this.#records = records
  }

  /** Throws when the record makes no sense. */
  of(record: KeyRecord): KnownKey<S> {
    return this.#known.get(record) ?? this.#learn(record)
  }

  #learn(record: KeyRecord): KnownKey<S> {
    const key = new KnownKey(record, this.#records.read(record))
    const { creator, scopes } = record
    const fixed = Object.isFrozen(record) && Object.isFrozen(scopes) && Object.isFrozen(creator)
    if (fixed) this.#known.set(record, key)
    return key
  }
}
