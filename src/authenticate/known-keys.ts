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

/**
 * Makes what reads records into keys as an accepted request sees them: `active` or `retiring`, unless the record
 * itself says `paused` or `revoked`. A record that is frozen through and through cannot change, so it is checked
 * once and gives the same key for as long as the storage keeps it, unless a cache does. Throws for an invalid one.
 */
export function keyReader<S extends string>(records: RecordReader<S>, hasCache: boolean) {
  const remembered = new WeakMap<KeyRecord, KnownKey<S>>()
  return (record: KeyRecord): KnownKey<S> => {
    const known = remembered.get(record)
    if (known !== undefined) return known
    const key = records.keyAt(record, BEFORE_EVERYTHING)
    const { creator, scopes, resources, networks, metadata, pausedBy } = record
    const { revokedAtMs, retiresAtMs, expiresAtMs, pausedAtMs } = record
    const isRestricted = Object.keys(resources).length > 0
    // One literal: put together from parts it would take 460 bytes more.
    const read = {
      key,
      accepted: Object.freeze({ ok: true, key } as const),
      revokedAtMs,
      retiresAtMs,
      expiresAtMs,
      pausedAtMs,
      resources: isRestricted ? resources : null,
    }
    const parts = [record, creator, scopes, resources, networks, metadata, pausedBy]
    parts.push(...Object.values(resources))
    if (!hasCache && parts.every(Object.isFrozen)) remembered.set(record, read)
    return read
  }
}
