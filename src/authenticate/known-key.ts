import type { ApiKey } from '../api-key.ts'
import type { Plan } from '../plans/entitlements-cache.ts'
import type { KeyRecord } from '../storage/contract.ts'
import { type CheckedRecord, type RecordReader, toKey } from '../storage/record.ts'
import type { Tally } from '../usage/usage-counter.ts'
import type { Acceptance } from './denial.ts'

/** One state of a key, with all that the next request of the same key needs at hand. */
export class KnownKey<S extends string> {
  readonly record: KeyRecord
  readonly scopes: readonly S[]
  readonly checked: CheckedRecord<S>
  /** What was last known of the workspace's plan. */
  plan: Plan | null
  /** Where its uses were counted last. */
  tally: Tally | null = null
  #key: ApiKey<S> | null = null
  #accepted: Promise<Acceptance<S>> | null = null

  constructor(checked: CheckedRecord<S>, plan: Plan | null) {
    this.record = checked.record
    this.scopes = checked.scopes
    this.checked = checked
    this.plan = plan
  }

  /** What `authenticate` answers for this state of the key, made once. */
  accepted(): Promise<Acceptance<S>> {
    const made = this.#accepted
    return made !== null && hasItsDates(this.#key, this.record) ? made : this.#accept()
  }

  #accept(): Promise<Acceptance<S>> {
    const key = toKey(this.checked)
    this.#key = key
    this.#accepted = Promise.resolve(Object.freeze({ ok: true, key }))
    return this.#accepted
  }
}

/** A `Date` can be changed even in a frozen key: one that was is not handed out again. */
function hasItsDates(key: ApiKey | null, { createdAtMs, lastUsedAtMs }: KeyRecord): boolean {
  return (
    key !== null &&
    key.createdAt.getTime() === createdAtMs &&
    (key.lastUsedAt === null || key.lastUsedAt.getTime() === lastUsedAtMs)
  )
}

/**
 * The keys that need no second check. A record that is frozen through and through cannot change, so
 * it is remembered while the storage keeps its list of scopes; any other is checked at each sight. Of
 * a later state of a remembered record only what can change is checked.
 */
export class KnownKeys<S extends string> {
  readonly #records: RecordReader<S>
  readonly #known = new WeakMap<readonly string[], KnownKey<S>>()

  constructor(records: RecordReader<S>) {
    this.#records = records
  }

  /** Throws when the record makes no sense. */
  of(record: KeyRecord): KnownKey<S> {
    const known = this.#known.get(record.scopes)
    return known !== undefined && known.record === record ? known : this.#learn(record, known)
  }

  #learn(record: KeyRecord, before: KnownKey<S> | undefined): KnownKey<S> {
    const key =
      before !== undefined && isLaterState(record, before.record)
        ? new KnownKey(this.#records.checkLater(record, before.checked), before.plan)
        : new KnownKey(this.#records.check(record), null)
    const { creator, scopes } = record
    const fixed = Object.isFrozen(record) && Object.isFrozen(scopes) && Object.isFrozen(creator)
    if (fixed) this.#known.set(scopes, key)
    return key
  }
}

/** Whether a record is the same key as another, in all that a key keeps for life. */
function isLaterState(record: KeyRecord, before: KeyRecord): boolean {
  return (
    record.hash === before.hash &&
    record.id === before.id &&
    record.workspaceId === before.workspaceId &&
    record.name === before.name &&
    record.environment === before.environment &&
    record.scopes === before.scopes &&
    record.prefix === before.prefix &&
    record.creator === before.creator &&
    record.createdAtMs === before.createdAtMs &&
    record.replaces === before.replaces
  )
}
