import type { Accepted } from '../model/denial.ts'
import type { AuthenticatedKey } from '../model/key.ts'
import type { KeyRecord, ResourceIds } from '../model/key-record.ts'
import type { Lifetime } from '../model/status.ts'
import type { RecordReader } from '../storage/record.ts'

/** A key as requests with it are decided; the record is not kept beside it. */
export interface KnownKey<S extends string> extends Lifetime {
  readonly key: AuthenticatedKey<S>
  /** The answer to a request that the key opens. Made once: -7 % in memory. */
  readonly accepted: Accepted<S>
  /** As in the record; `null` for a key that is restricted in no type. */
  readonly resources: ResourceIds | null
}

/** An instant at which no end has come. */
const BEFORE_EVERYTHING = Number.NEGATIVE_INFINITY

export class KnownKeys<S extends string> {
  readonly #records: RecordReader<S>
  /** `null` where the cache keeps keys. */
  readonly #known: WeakMap<KeyRecord, KnownKey<S>> | null

  constructor(records: RecordReader<S>, hasCache: boolean) {
    this.#records = records
    this.#known = hasCache ? null : new WeakMap()
  }

  /**
   * The key of a record as an accepted request sees it: `active` or `retiring`, unless the record itself says
   * `paused` or `revoked`. A record that is frozen through and through cannot change, so it is checked once
   * and gives the same key for as long as the storage keeps it. Throws for a record that is invalid.
   */
  read(record: KeyRecord): KnownKey<S> {
    const known = this.#known?.get(record)
    if (known !== undefined) return known
    const read = this.#make(record)
    const { creator, scopes, resources, networks, metadata, pausedBy } = record
    const parts = [record, creator, scopes, resources, networks, metadata, pausedBy]
    parts.push(...Object.values(resources))
    if (this.#known !== null && parts.every(Object.isFrozen)) this.#known.set(record, read)
    return read
  }

  #make(record: KeyRecord): KnownKey<S> {
    const key = this.#records.keyAt(record, BEFORE_EVERYTHING)
    const { resources, revokedAtMs, retiresAtMs, expiresAtMs, pausedAtMs } = record
    // One literal: put together from parts it would take 460 bytes more.
    return {
      key,
      accepted: Object.freeze({ ok: true, key }),
      revokedAtMs,
      retiresAtMs,
      expiresAtMs,
      pausedAtMs,
      resources: Object.keys(resources).length > 0 ? resources : null,
    }
  }
}
