import type { StorageCall } from '../lib/within-time.ts'
import type { AuditEventRecord } from '../model/audit-event.ts'
import type { Environment, KeyStatus } from '../model/key.ts'
import type { KeyState } from '../model/key-fields.ts'
import type { KeyRecord, StoredKey } from '../model/key-record.ts'
import type { UsageOutcome } from '../model/usage-outcome.ts'
import type { ChangeLog } from './change-log.ts'
import type { StorageDiagnosis } from './diagnosis.ts'

/** What `insert` did: stored the record, or nothing, because the workspace is full or erased. */
export type InsertOutcome =
  | {
      /** The record is stored. */
      readonly inserted: true
    }
  | {
      /** Nothing was stored: the workspace is at its limit. */
      readonly inserted: false
      /** How many keys of the workspace are active or paused. */
      readonly activeKeys: number
    }
  | {
      /** Nothing was stored: the workspace has been erased. */
      readonly inserted: false
      /** Tells this outcome from the other. */
      readonly isErased: true
    }

/** Which page of a workspace's keys to read. */
export interface KeyPageQuery {
  /** Only keys with one of these statuses at `atMs`, at least one without repeats; `null` is any. */
  readonly status: readonly KeyStatus[] | null
  /** Only keys for this environment; `null` is both. */
  readonly environment: Environment | null
  /** Only keys whose `scopes` have this one. Left out: any. */
  readonly scope?: string | undefined
  /** Only keys that this person created. Left out: anybody. */
  readonly creatorId?: string | undefined
  /** Only keys that reach a resource: `only` this one of its type, or also others. Left out: any. */
  readonly resource?: ResourceFilter | undefined
  /** Only keys with one of these ids; none for an empty list. Left out: any. */
  readonly ids?: readonly string[] | undefined
  /** Only keys that were neither created nor, as far as is stored, used after this instant. Left out: any. */
  readonly notUsedAfterMs?: number | undefined
  /** The instant at which statuses are computed and active keys are counted. */
  readonly atMs: number
  /** The id of the last key of the page before, or `null` for the first page. */
  readonly after: string | null
  /** Whether the oldest key is the first, and not the newest. Default `false`. */
  readonly oldestFirst?: boolean | undefined
  /** How many records at most; a positive whole number. */
  readonly limit: number
}

/** A resource, and how a key must reach it. */
export interface ResourceFilter {
  /** The type of the resource. */
  readonly type: string
  /** Its id. */
  readonly id: string
  /**
   * `reaches`: the key lists the id or is not restricted in the type; `only`: the id is all that it lists of
   * the type.
   */
  readonly match: 'reaches' | 'only'
}

/** One page of a workspace's keys, newest first. */
export interface KeyPage {
  /** The keys of this page. */
  readonly records: readonly StoredKey[]
  /** Whether older keys that match the query follow. */
  readonly more: boolean
  /** All active and paused keys of the workspace, whatever the query's filters. */
  readonly activeKeys: number
  /** With a first page: how many keys match the query. `null` for later pages. */
  readonly total: number | null
}

/** Which key to change, and the event that records the change in the same step. */
export interface KeyChange {
  /** The workspace of the key; a key of another one is not found. */
  readonly workspaceId: string
  /** The id of the key to change. */
  readonly id: string
  /** Stored in the same step, if the key is changed by it. */
  readonly event: AuditEventRecord
}

/** Which key to revoke, when, and the event that records it. */
export interface RevokeChange extends KeyChange {
  /** The caller's clock when it calls; the instant to store as `revokedAtMs`. */
  readonly revokedAtMs: number
}

/** Keys to revoke in one step, each at a version and with the event that records it. */
export interface RevokeManyChange {
  /** The workspace of the keys. */
  readonly workspaceId: string
  /** The caller's clock when it calls; the instant to store as `revokedAtMs`. */
  readonly revokedAtMs: number
  /** Only keys that were neither created nor, as far as is stored, used after this instant. Left out: all. */
  readonly notUsedAfterMs?: number | undefined
  /** At most 200. */
  readonly keys: readonly (Pick<KeyChange, 'id' | 'event'> & {
    /** The version that the key must be at. */
    readonly version: number
  })[]
}

/** What `revokeMany` did. */
export interface RevokeManyOutcome {
  /** The ids of the keys that this call, or one that it repeats, has revoked. */
  readonly revoked: readonly string[]
}

/** The new state of a key that is at `version`. */
export interface UpdateChange extends KeyChange {
  /** The version of the key that the new state was made from. */
  readonly version: number
  /** The caller's clock when it calls; the instant to store as `updatedAtMs`. */
  readonly updatedAtMs: number
  /** The new state, whole. */
  readonly state: KeyState
  /**
   * Whether the state only takes away scopes, resources or networks. Then a key that is retiring changes too,
   * until its overlap is over. Default `false`.
   */
  readonly isNarrowing?: boolean
}

/** The key that takes the place of one that is at `version`, and when the old one stops. */
export interface RotateChange extends KeyChange {
  /** The version of the key that the replacement was made from. */
  readonly version: number
  /** When the key is rotated: the caller's clock when it calls. */
  readonly rotatedAtMs: number
  /** The end of the overlap, after `rotatedAtMs`; `null` revokes the old key at `rotatedAtMs`. */
  readonly retiresAtMs: number | null
  /** With an overlap: how many keys of the workspace may be retiring at once; `null`: no limit. */
  readonly retiringLimit: number | null
  /** The new key; its `replaces` becomes the old one's id. */
  readonly replacement: KeyRecord
}

/** Which log entry a caller must wait for after a change of a key. */
export interface LoggedOutcome {
  /**
   * The entry of the change log to wait for: that of this change or a later one, also when the work
   * was done already. Left out when no node has ever registered.
   */
  readonly sequence?: number
}

/** What `revoke` did. */
export type RevokeOutcome =
  | (LoggedOutcome & {
      /** The key is revoked: by this call, or it was before. */
      readonly outcome: 'revoked' | 'already_revoked'
      /** The key as it stands now. */
      readonly record: StoredKey
    })
  | NotFoundOutcome

/** What `update` did. */
export type UpdateOutcome =
  | (LoggedOutcome & {
      /** The key has the new state: by this call, or by the one it repeats. */
      readonly outcome: 'updated'
      /** The key as it stands now. */
      readonly record: StoredKey
    })
  | StaleOutcome
  | ExpiredOutcome
  | NotFoundOutcome

/** What `rotate` did. */
export type RotateOutcome =
  | (LoggedOutcome & {
      /** The replacement is stored and the old key ends: by this call, or by the one it repeats. */
      readonly outcome: 'rotated'
      /** The old key as it stands now. */
      readonly replaced: StoredKey
      /** The new key as it stands now. */
      readonly replacement: StoredKey
    })
  | {
      /** Nothing has changed: too many keys of the workspace are retiring. */
      readonly outcome: 'too_many_retiring'
      /** How many are. */
      readonly retiringKeys: number
    }
  | StaleOutcome
  | ExpiredOutcome
  | NotFoundOutcome

/** Nothing has changed: the key is neither revoked nor replaced, but has expired. */
export interface ExpiredOutcome {
  /** Tells this outcome from the others. */
  readonly outcome: 'expired'
  /** The key as it stands now. */
  readonly record: StoredKey
}

/** Nothing has changed: the key is at another version, revoked or replaced. */
export interface StaleOutcome {
  /** Tells this outcome from the others. */
  readonly outcome: 'stale'
  /** The key as it stands now. */
  readonly record: StoredKey
}

/** Nothing has changed: the workspace has no such key. */
export interface NotFoundOutcome {
  /** Tells this outcome from the others. */
  readonly outcome: 'not_found'
}

/** The uses of one key since the batch before. */
export interface KeyUses {
  /** The id of the key. */
  readonly id: string
  /** How many uses to add; a positive whole number. */
  readonly uses: number
  /** The latest of these uses. */
  readonly lastUsedAtMs: number
}

/** How many requests with a key had one outcome in one hour. */
export interface HourlyCount {
  /** The id of the key. */
  readonly id: string
  /** The hour: how many whole hours it is after the epoch, in UTC. */
  readonly hour: number
  /** The outcome of these requests. */
  readonly outcome: UsageOutcome
  /** How many to add; a positive whole number. */
  readonly count: number
}

/** What a batch adds to the history of usage, and for how long the storage keeps it. */
export interface UsageHistoryBatch {
  /** At most one entry for each key, hour and outcome. */
  readonly counts: readonly HourlyCount[]
  /** For how many whole days in UTC before today hours are kept apart. Days stand for older ones. */
  readonly hourlyForDays: number
  /** For how many whole days in UTC before today days are kept. Older ones are dropped. */
  readonly dailyForDays: number
}

/**
 * One flush of counted uses. A writer sends its batches one after another, numbered 1, 2, 3, …, and
 * repeats a batch under the same number until the storage has answered or refused it for good.
 */
export interface UsageBatch {
  /** One running process; a new one for each start. */
  readonly writer: string
  /** The number of the batch among those of its writer, from 1. */
  readonly sequence: number
  /** At most one entry for each key. `createApiKeys` puts at most 1,000 keys into a batch. */
  readonly uses: readonly KeyUses[]
  /** The same uses by hour, and refusals. Left out when no history is kept. */
  readonly history?: UsageHistoryBatch
}

/** Hours or days, as numbers since the epoch in UTC; none where `from` is `to`. */
export interface PeriodRange {
  /** The first. */
  readonly from: number
  /** The first that is not in the range. */
  readonly to: number
}

/** Which part of the history to read. */
export interface UsageQuery {
  /** The id of one key; `null` adds up all keys of the workspace. */
  readonly id: string | null
  /** The hours to read. */
  readonly hours: PeriodRange
  /** The days to read, of those whose hours are not kept any more: days stand for these hours. */
  readonly days: PeriodRange
}

/** How many requests had one outcome in one period. */
export interface PeriodCount {
  /** The hour or the day, as a number since the epoch in UTC. */
  readonly at: number
  /** The outcome of these requests. */
  readonly outcome: UsageOutcome
  /** How many there were. */
  readonly count: number
}

/** A part of the history, in any order. Each request is in one of the lists, never in both. */
export interface UsageCounts {
  /** One entry for each hour and outcome that was counted. */
  readonly hours: readonly PeriodCount[]
  /** One entry for each day and outcome that was counted. */
  readonly days: readonly PeriodCount[]
}

/** Which events to read. */
export interface EventQuery {
  /** The id of the last event already read, or `null` to begin at the first. */
  readonly after: string | null
  /** Only the events of the key with this id. Default: of all keys. */
  readonly keyId?: string | null
  /** Whether the newest event is the first, and not the oldest. Default `false`. */
  readonly newestFirst?: boolean
  /** How many events at most; a positive whole number. */
  readonly limit: number
}

/** Which relay claims events, how long its lease excludes other relays, and which events it wants. */
export interface EventClaim {
  /** One running relay; a new one for each start. */
  readonly relay: string
  /** How long the lease lasts, in milliseconds, measured by the storage's own clock. */
  readonly leaseMs: number
  /** How many events at most; a positive whole number. */
  readonly limit: number
  /** Workspaces whose events are left out. They do not count towards `limit`. */
  readonly except: readonly string[]
}

/** Whom to erase, and how much of it in one step. */
export interface PersonErasure {
  /** The id of the person; not that of `ERASED_PERSON`. */
  readonly personId: string
  /** How many keys, and how many events, at most; a positive whole number. */
  readonly limit: number
}

/** Which workspace to erase, and how much of it in one step. */
export interface WorkspaceErasure {
  /** The workspace. */
  readonly workspaceId: string
  /** The instant to store as `revokedAtMs` of keys that are not revoked. */
  readonly erasedAtMs: number
  /** How many keys, and how many events, at most; a positive whole number. */
  readonly limit: number
}

/** What to delete, and how much of it in one step. */
export interface Purge {
  /** Keys that stopped for good before this instant; `null` for none. */
  readonly endedBeforeMs: number | null
  /** Acknowledged events from before this instant; `null` for none. */
  readonly eventsBeforeMs: number | null
  /** How many keys, and how many events, at most; a positive whole number. */
  readonly limit: number
}

/** Which notices are due. */
export interface NoticeQuery {
  /** Those for an instant up to this one. */
  readonly atMs: number
  /** How many at most; a positive whole number. */
  readonly limit: number
}

/** A key that is due for an expiry or retirement notice. */
export interface NoticeDue {
  /** The key as it stands. */
  readonly record: KeyRecord
  /** The instant that is stored for its next notice; see `nextNoticeAt`. */
  readonly dueAtMs: number
}

/** A notice of a key that is at `version`. */
export interface Notice extends KeyChange {
  /** The version of the key that the event was made from. */
  readonly version: number
  /** The instant that was stored for this notice. */
  readonly dueAtMs: number
  /** The instant of the notice after this one; `null` for none. */
  readonly nextAtMs: number | null
}

/** What one step of an erasure or a purge did. */
export interface ErasureOutcome extends LoggedOutcome {
  /** How many keys were changed or deleted. */
  readonly keys: number
  /** How many events were changed or deleted. */
  readonly events: number
  /** Whether something may be left to do. */
  readonly more: boolean
}

/**
 * Where keys live. Each method is one atomic step with its guard inside: it happens whole or not at
 * all, also when the process dies, and holds against every other process on the same storage.
 *
 * A storage never widens what a record allows: no method sets `revokedAtMs` back to `null` or moves
 * `retiresAtMs` later, only `update` changes other fields that decide about a key, and `addUses`
 * writes usage alone. Every change but that of uses adds 1 to `version` and sets `updatedAtMs`,
 * which `erasePerson` leaves as it is. A method that cannot answer rejects; it never guesses.
 * Arguments and results are copied or frozen: changing them later changes nothing in the storage.
 *
 * Expired is final. `insert`, `update` and `rotate` may wait for a long time after they were called: in a
 * queue, for a connection, for a lock. So each decides which keys have expired once it holds the lock of
 * the workspace: at the caller's instant plus the time since the call, and never before the end of a key
 * that an `insert` of the workspace has counted as expired. The latest such end is kept for each workspace,
 * but at most a minute ahead of the storage's own clock, so that one caller whose clock is fast ends
 * nobody's keys. What is stored of an instant is the caller's.
 *
 * The last parameter of each method is the time that the call has; without one the method may take
 * as long as it needs. A caller stops waiting when the time is over, so a storage that ignores it
 * stays correct. One that heeds it can free what it holds and can tell a change that was not made
 * from one that may have been.
 *
 * Prove an implementation with the suite in `miftah/testing`.
 */
export interface KeyStorage {
  /**
   * The log of changes, where several processes on the storage can answer from memory. Only
   * `createApiKeys` with the option `cache` needs it.
   */
  readonly changes?: ChangeLog

  /**
   * What an operator needs to know when something is wrong; optional. It changes nothing, neither
   * migrates nor needs tables, and rejects only when the storage cannot be reached.
   */
  diagnose?(call?: StorageCall): Promise<StorageDiagnosis>

  /**
   * Stores a new key and its event, unless the workspace already has `activeLimit` keys that are
   * active or paused (`null`: no limit). With a limit, the record's `createdAtMs` is the instant of the
   * call. A repeat of a record that is
   * already stored, same `id` and same `hash`, answers `inserted: true` and changes nothing, so a caller
   * may repeat after a lost answer; so does one of a key that was purged. In an erased workspace
   * nothing is ever stored again.
   */
  insert(
    record: KeyRecord,
    activeLimit: number | null,
    event: AuditEventRecord,
    call?: StorageCall,
  ): Promise<InsertOutcome>

  /**
   * The key with this hash, or `null`. Reads the current truth: once `revoke`, `rotate` or `update`
   * has answered anywhere, a call that begins later sees the change. May answer without a promise.
   */
  findByHash(hash: string, call?: StorageCall): KeyRecord | null | Promise<KeyRecord | null>

  /**
   * The key with this id in this workspace, and its usage, or `null`; a key of another workspace is
   * `null` too.
   */
  findById(workspaceId: string, id: string, call?: StorageCall): Promise<StoredKey | null>

  /**
   * A page of the workspace's keys, the latest insert first. `null` when `after` names no key of
   * this workspace, now or before a purge. A key inserted while a caller pages never shifts the pages that follow.
   */
  list(workspaceId: string, query: KeyPageQuery, call?: StorageCall): Promise<KeyPage | null>

  /**
   * If the key is at `version`, neither revoked nor replaced, and has not expired: sets its new state and
   * stores the event. A replaced key that is retiring is changed if the update `isNarrowing`. Otherwise says why not and changes nothing. An update that moves `expiresAtMs` later
   * must be decided more than a second before that end, because others see it only once it is committed.
   * A repeat of an update already stored, same event `id`, answers `updated` again.
   */
  update(change: UpdateChange, call?: StorageCall): Promise<UpdateOutcome>

  /**
   * If the key is at `version`, neither revoked nor replaced, and has not expired, and an overlap leaves at
   * most `retiringLimit` keys retiring: revokes it or sets the end of its overlap, stores the replacement,
   * links the two (`replaces` and `replacedBy`) and stores the event. Otherwise says why not and
   * changes nothing. A repeat of a rotation already stored, same replacement `id` and `hash`, answers
   * `rotated` again.
   */
  rotate(change: RotateChange, call?: StorageCall): Promise<RotateOutcome>

  /**
   * Sets `revokedAtMs` unless it is set already. It stores the event too, unless the overlap of the
   * key is over at the caller's instant plus the time since the call: such a key is `already_revoked`, and `revokedAtMs` becomes the end of the
   * overlap, so that no process whose clock is behind accepts the key once this has answered.
   */
  revoke(change: RevokeChange, call?: StorageCall): Promise<RevokeOutcome>

  /**
   * Revokes keys in one step, each as `revoke` does if it is at its version, not revoked, its overlap not over,
   * and not used after `notUsedAfterMs`. Passes over the others. A repeat, with the same events, answers
   * the same ids.
   */
  revokeMany(change: RevokeManyChange, call?: StorageCall): Promise<RevokeManyOutcome>

  /**
   * Confirms what a caller has read of a workspace's keys. Once it has answered, those changes are as
   * durable as if their own calls had answered, and `sequence` covers them. It changes no key, and
   * answers also for a workspace without keys.
   */
  confirm(workspaceId: string, call?: StorageCall): Promise<LoggedOutcome>

  /**
   * Adds uses and moves `lastUsedAtMs` forward. An instant that is ahead of the storage's own clock
   * is stored as the storage's current time, so a caller whose clock is ahead cannot hide later
   * uses. A stored `lastUsedAtMs` that is ahead of that clock is replaced; in no other case does it
   * move back. A batch whose `sequence` is not above the last one stored for its `writer` was stored
   * before and changes nothing. Ids that name no key are passed over.
   *
   * A batch that can never be stored, because of a value in it, is refused whole with an error whose
   * `code` is `unstorable_value`. The caller sends its uses and the counts of each outcome in batches of
   * their own then, and gives up those that are refused again. After any other error it repeats the batch.
   *
   * Adds the counts of `history` in the same step; an hour that is ahead of the storage's own clock
   * counts as the current one, and one before those that are kept as the oldest of them. It also drops
   * hours and days that are too old, by its own clock and no more at a time than keeps the cost of a
   * batch flat: what is left waits for later batches. A clock that is far ahead of what is stored drops
   * nothing: the newest day with a count that is before yesterday stands for today, unless it is the
   * day before yesterday.
   */
  addUses(batch: UsageBatch, call?: StorageCall): Promise<void>

  /**
   * The counts of a workspace's key, or of all its keys together; `null` when `id` names no key of it.
   */
  usage(workspaceId: string, query: UsageQuery, call?: StorageCall): Promise<UsageCounts | null>

  /**
   * The workspace's audit events in order: `limit`, or all that are left. `null` when `after`
   * names no event of it, now or before a purge; an event of another key is a place too. The events of
   * one key are read along an index, whatever the length of the log.
   */
  events(
    workspaceId: string,
    query: EventQuery,
    call?: StorageCall,
  ): Promise<readonly AuditEventRecord[] | null>

  /**
   * The oldest pending events outside the workspaces in `except`, in order within each workspace,
   * and the lease on all pending events: while it lasts, other relays get an empty answer. The
   * holder renews it by claiming again. An empty answer may leave the lease as it was.
   */
  claimEvents(claim: EventClaim, call?: StorageCall): Promise<readonly AuditEventRecord[]>

  /**
   * Marks events as delivered, if `relay` still holds the lease; they are not claimed again. Those of
   * an erased workspace are deleted.
   */
  acknowledgeEvents(relay: string, eventIds: readonly string[], call?: StorageCall): Promise<void>

  /** Ends the lease at once, if `relay` holds it, so that another relay can claim. */
  releaseEvents(relay: string, call?: StorageCall): Promise<void>

  /**
   * The keys whose notice is due, oldest first. A storage keeps the instant of the next notice for
   * each key that has an end, and sets it to `nextNoticeAt` whenever that end changes. A revocation
   * removes it, but one after an overlap leaves it as it is: nothing else reports that end. It answers from an index, whatever the number of keys.
   */
  dueNotices(query: NoticeQuery, call?: StorageCall): Promise<readonly NoticeDue[]>

  /**
   * Stores the event and the next instant of each notice whose key is at `version` and whose stored
   * instant is `dueAtMs` still, so that each notice is written once; passes over the others. Changes no
   * key. Answers how many were stored.
   */
  storeNotices(notices: readonly Notice[], call?: StorageCall): Promise<number>

  /**
   * Puts `ERASED_PERSON` in the place of a person, as creator, as `pausedBy` and as actor of events,
   * acknowledged or not, in every workspace. Instants and ids stay.
   */
  erasePerson(erasure: PersonErasure, call?: StorageCall): Promise<ErasureOutcome>

  /**
   * Closes a workspace for good, also one without keys: from the first step on nothing is inserted,
   * updated or rotated in it. Revokes its keys, then deletes them with their usage and all that is
   * left of purged ones, and its acknowledged events. Events that are not acknowledged stay until they are.
   */
  eraseWorkspace(erasure: WorkspaceErasure, call?: StorageCall): Promise<ErasureOutcome>

  /**
   * Deletes keys, with their usage, that are revoked, retired or expired, and events that are acknowledged.
   * A key with a `format` stays: importing it once more would bring it back.
   * Instants that are ahead of the storage's own clock count as its current time. A cursor at what was
   * deleted stays valid.
   */
  purge(purge: Purge, call?: StorageCall): Promise<ErasureOutcome>
}
