import type { StorageCall } from '../lib/within-time.ts'
import type { AuditEventRecord } from '../model/audit-event.ts'
import type { UsageOutcome } from '../model/denial.ts'
import type { Environment, KeyStatus } from '../model/key.ts'
import type { KeyRecord, KeyUsage } from '../model/key-record.ts'
import type { ChangeLog } from './change-log.ts'

/** A key as a storage holds it. */
export interface HeldKey {
  /** What decides about the key. */
  readonly record: KeyRecord
  /** How often it was used, as far as is stored. */
  readonly usage: KeyUsage
  /**
   * The storage's own number: 1 for a new key, one more with every `write` of it, and on SQLite and PostgreSQL with
   * a change by hand.
   */
  readonly edition: number
  /** Where the key stands among those of its workspace: later keys have higher places. */
  readonly place: number
}

/** What to read of a workspace before a decision. */
export interface ViewQuery {
  /** The workspace. */
  readonly workspaceId: string
  /** The keys to read, at most 200. */
  readonly ids: readonly string[]
  /** Events whose presence shows that an earlier write was stored. */
  readonly eventIds: readonly string[]
  /** Counts the keys that are active or paused, and those that are retiring, at this instant; `null` counts none. */
  readonly countAtMs: number | null
  /** Where counting may stop; `null` counts all. */
  readonly countUpTo: number | null
}

/** What a decision is made from: one snapshot, or the workspace's own fields first and all else after them. */
export interface WorkspaceView {
  /** Whether the workspace was closed for good by `closeWorkspace`. */
  readonly isErased: boolean
  /** The sum of `adds` of every stored write; 0 for a workspace that was never written. It never shrinks. */
  readonly added: number
  /** Those of `ids` that the workspace has. */
  readonly keys: readonly HeldKey[]
  /** Those of `eventIds` that the workspace has. */
  readonly eventIds: readonly string[]
  /** Keys that are active or paused at `countAtMs`; `null` without it. */
  readonly activeKeys: number | null
  /** Keys that are retiring at `countAtMs`; `null` without it. */
  readonly retiringKeys: number | null
}

/** A key to store, whole. */
export interface KeyWrite {
  /** The new record. Its `workspaceId` is not looked at. */
  readonly record: KeyRecord
  /** The edition that the record was made from; `null` for a new key, whose id must be free in every workspace. */
  readonly ifEdition: number | null
}

/** One step in a workspace: all of it is stored, or nothing. */
export interface WorkspaceWrite {
  /** The workspace, also of every record and event in the step, whatever they say. */
  readonly workspaceId: string
  /** The step is stored only if `added` is at most this, also in a workspace that was never written; `null`: always. */
  readonly ifAddedAtMost: number | null
  /** By how much `added` grows; a whole number from 0. */
  readonly adds: number
  /** The keys, each once; at most `batchKeys` and about 1 MB. */
  readonly keys: readonly KeyWrite[]
  /** The events in their order, each with an id that no other event of any workspace has. */
  readonly events: readonly AuditEventRecord[]
}

/** What became of one step. */
export interface WriteOutcome {
  /** `refused`: nothing is stored, and this very step can never be stored any more. */
  readonly outcome: 'stored' | 'refused'
  /** Stored while the change log is in use: wait for the caches, also after an empty step. Default `false`. */
  readonly isLogged?: boolean
}

/** How much one call answers or does. */
export interface Limited {
  /** At most so many; a positive whole number. */
  readonly limit: number
}

/** A resource, and how a key must reach it. */
export interface ResourceFilter {
  /** The type of the resource. */
  readonly type: string
  /** Its id. */
  readonly id: string
  /** `reaches`: the key lists the id or is not restricted in the type; `only`: it lists this id alone. */
  readonly match: 'reaches' | 'only'
}

/** Which keys of a workspace to read. */
export interface KeyFilters {
  /** Only keys with one of these statuses at `atMs`, at least one without repeats; `null` is any. */
  readonly status: readonly KeyStatus[] | null
  /** Only keys for this environment; `null` is both. */
  readonly environment: Environment | null
  /** Only keys whose `scopes` have this one. Left out: any. */
  readonly scope?: string | undefined
  /** Only keys that this person created. Left out: anybody. */
  readonly creatorId?: string | undefined
  /** Only keys that reach a resource. Left out: any. */
  readonly resource?: ResourceFilter | undefined
  /** Only keys with one of these ids; none for an empty list. Left out: any. */
  readonly ids?: readonly string[] | undefined
  /** Only keys that were neither created nor, as far as is stored, used after this instant. Left out: any. */
  readonly notUsedAfterMs?: number | undefined
  /** The instant at which statuses are computed and active keys are counted. */
  readonly atMs: number
}

/** Which page of a workspace's keys to read. */
export interface KeyPageQuery extends KeyFilters, Limited {
  /** The page begins after the key at this place, or where one was; `null` for the first page. */
  readonly after: number | null
  /** Whether the oldest key is the first, and not the newest. Default `false`. */
  readonly oldestFirst?: boolean | undefined
  /** Counting may stop at this number plus one, which says that there are more. `null` counts nothing. */
  readonly countUpTo: number | null
}

/** One page of a workspace's keys, newest first unless the query says otherwise. */
export interface KeyPage {
  /** The keys of this page. */
  readonly keys: readonly HeldKey[]
  /** Whether keys that match the query follow. */
  readonly more: boolean
  /** All active and paused keys of the workspace, whatever the filters; `null` if nothing is counted. */
  readonly activeKeys: number | null
  /** With a first page: how many keys match the query. `null` for later pages and if nothing is counted. */
  readonly total: number | null
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

/** How many requests had one outcome in one hour. */
export interface HourlyTotal {
  /** The hour: how many whole hours it is after the epoch, in UTC. */
  readonly hour: number
  /** The outcome of these requests. */
  readonly outcome: UsageOutcome
  /** How many there were; a positive whole number. */
  readonly count: number
}

/** How many requests with a key had one outcome in one hour. */
export interface HourlyCount extends HourlyTotal {
  /** The id of the key. */
  readonly id: string
}

/** What a batch adds to the history of usage. */
export interface UsageHistoryBatch {
  /** At most one entry for each key, hour and outcome. */
  readonly counts: readonly HourlyCount[]
  /** For how many whole days in UTC before today hours are kept. */
  readonly keepDays: number
}

/**
 * One flush of counted uses. A writer sends its batches one after another, numbered 1, 2, 3, …, and repeats a
 * batch under the same number until the storage has answered or refused it for good.
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

/** Which part of the history to read. */
export interface UsageQuery {
  /** The id of one key; `null` adds up all keys of the workspace. */
  readonly id: string | null
  /** The first hour. */
  readonly fromHour: number
  /** The first hour after the range. */
  readonly toHour: number
}

/** Which events to read. */
export interface EventQuery extends Limited {
  /** The page begins after the event at this place, or where one was; `null` for the first page. */
  readonly after: number | null
  /** Only the events of the key with this id. Default: of all keys. */
  readonly keyId?: string | null
  /** Whether the newest event is the first, and not the oldest. Default `false`. */
  readonly newestFirst?: boolean
}

/** One page of a workspace's audit log. */
export interface EventPage {
  /** The events: `limit`, or all that are left. */
  readonly events: readonly AuditEventRecord[]
  /** The place of the last of them; `null` for an empty page. */
  readonly last: number | null
}

/** Which relay claims events, how long its lease excludes other relays, and which events it wants. */
export interface EventClaim extends Limited {
  /** One running relay; a new one for each start. */
  readonly relay: string
  /** How long the lease lasts, in milliseconds, measured by the storage's own clock. */
  readonly leaseMs: number
  /** Workspaces whose events are left out. They do not count towards `limit`. */
  readonly except: readonly string[]
}

/** Which keys need a notice. */
export interface DueQuery extends Limited {
  /** Those whose `noticeAtMs` is at most this. */
  readonly atMs: number
}

/** A person, and how much of what names them to read or change in one step. */
export interface PersonQuery extends Limited {
  /** The id of the person; not that of `ERASED_PERSON`. */
  readonly personId: string
}

/** A closed workspace, and how many keys and events of it to delete in one step. */
export interface WorkspaceDeletion extends Limited {
  /** The workspace. */
  readonly workspaceId: string
}

/** What to delete, and how many keys and events in one step. */
export interface Purge extends Limited {
  /** Keys that stopped for good before this instant; `null` for none. */
  readonly endedBeforeMs: number | null
  /** Acknowledged events from before this instant; `null` for none. */
  readonly eventsBeforeMs: number | null
}

/** What one step did. */
export interface Progress {
  /** How many keys were deleted. */
  readonly keys: number
  /** How many events were changed or deleted. */
  readonly events: number
  /** Whether something may be left to do. */
  readonly more: boolean
  /** The change log is in use: wait for the caches. Default `false`. */
  readonly isLogged?: boolean
}

/**
 * Where keys live. A storage decides nothing about a key: `read` answers what a decision is made from, and
 * `write` stores what was decided if that still holds. The suite in `miftah/testing` proves one.
 *
 * Every method works on the primary and rejects when it cannot answer; it never guesses. What a method has
 * answered as stored is durable, and so is all that a read had shown before it. Arguments and results are
 * copied or frozen. The last parameter is the time that the call has: one that heeds it can free what it
 * holds, and can tell a change that was not made from one that may have been.
 */
export interface KeyStorage {
  /** Where several processes can answer from memory. Only `createApiKeys` with the option `cache` needs it. */
  readonly changes?: ChangeLog

  /** How many keys one write takes at most, 1 to 200. Default 200. */
  readonly batchKeys?: number

  /**
   * What an operator needs to know when something is wrong; optional. It changes nothing, neither migrates
   * nor needs tables, and rejects only when the storage cannot be reached.
   */
  diagnose?(call?: StorageCall): Promise<StorageDiagnosis>

  /** The key with this hash, or `null`. It sees every write that was answered before the call began. */
  findByHash(hash: string, call?: StorageCall): KeyRecord | null | Promise<KeyRecord | null>

  /** What a decision in a workspace is made from. It sees every write that was answered before the call began. */
  read(query: ViewQuery, call?: StorageCall): Promise<WorkspaceView>

  /**
   * Stores steps, at most one for each workspace in a call, and answers what became of each, in their order.
   * One refused step does not refuse another.
   *
   * A step is stored if all of this holds: each key is at `ifEdition` in this workspace, and is not revoked
   * at another instant than its record says; each new id, hash, `replaces` and event id is free in all
   * workspaces; `added` is at most `ifAddedAtMost`; a closed workspace gets no new key. Otherwise it is
   * refused, for good: editions and `added` grow, and ids stay taken, whatever is deleted later. A new key is
   * never written over another one.
   *
   * Steps of one workspace take effect one after another. A later one is visible later, and its keys and
   * events have later places. A step without keys and events is stored too: it makes what was read before
   * durable.
   *
   * It rejects with a `StorageError` whose `code` is `busy`, `timeout`, `unavailable` or `unstorable_value`
   * if nothing of the list is stored, and with anything else when that is not known.
   */
  write(writes: readonly WorkspaceWrite[], call?: StorageCall): Promise<readonly WriteOutcome[]>

  /** A page of keys, the latest first. One that is stored meanwhile never shifts the pages that follow. */
  list(workspaceId: string, query: KeyPageQuery, call?: StorageCall): Promise<KeyPage>

  /** A page of the workspace's audit log. The events of one key are read along an index. */
  events(workspaceId: string, query: EventQuery, call?: StorageCall): Promise<EventPage>

  /**
   * Adds uses and moves `lastUsedAtMs` forward; it never touches a key's own row. An instant ahead of the
   * storage's clock counts as now, and a stored one that is ahead is replaced; in no other case does
   * `lastUsedAtMs` move back. A batch whose `sequence` is not above the last one stored for its `writer` changes
   * nothing. Ids that name no key leave nothing behind.
   *
   * In the same step it adds the counts of `history`, an hour ahead of that clock as the current one, and drops
   * hours older than `keepDays`, no more at a time than keeps the cost of a batch flat.
   *
   * A batch that can never be stored, because of a value in it, is refused whole with the code
   * `unstorable_value`. After any other error the caller repeats the batch.
   */
  addUses(batch: UsageBatch, call?: StorageCall): Promise<void>

  /** The counts of a key, or of all keys together, in any order; `null` when the workspace has no key `id`. */
  usage(
    workspaceId: string,
    query: UsageQuery,
    call?: StorageCall,
  ): Promise<readonly HourlyTotal[] | null>

  /**
   * The oldest pending events outside the workspaces in `except`, in order within each workspace, and the
   * lease on all pending events: while it lasts, other relays get an empty answer. The holder renews it by
   * claiming again. An empty answer may leave the lease as it was.
   */
  claimEvents(claim: EventClaim, call?: StorageCall): Promise<readonly AuditEventRecord[]>

  /** Marks events as delivered, if `relay` still holds the lease; they are not claimed again. */
  acknowledgeEvents(relay: string, eventIds: readonly string[], call?: StorageCall): Promise<void>

  /** Ends the lease at once, if `relay` holds it, so that another relay can claim. */
  releaseEvents(relay: string, call?: StorageCall): Promise<void>

  /** The keys whose `noticeAtMs` has come, the earliest first, along an index. */
  due(query: DueQuery, call?: StorageCall): Promise<readonly HeldKey[]>

  /** Keys of all workspaces that name a person as creator or as `pausedBy`. */
  keysOfPerson(query: PersonQuery, call?: StorageCall): Promise<readonly HeldKey[]>

  /** Puts `ERASED_PERSON` in the place of a person as the actor of events, acknowledged or not. */
  renameActor(query: PersonQuery, call?: StorageCall): Promise<Progress>

  /** Closes a workspace for good, also one that was never written. From its answer on it gets no new key. */
  closeWorkspace(workspaceId: string, call?: StorageCall): Promise<void>

  /**
   * Deletes the revoked keys of a closed workspace with their usage, and its acknowledged events. What is not
   * acknowledged stays until it is, and the workspace stays closed.
   */
  deleteWorkspace(deletion: WorkspaceDeletion, call?: StorageCall): Promise<Progress>

  /**
   * Deletes keys, with their usage, that are revoked, retired or expired, and events that are acknowledged;
   * nothing that was written in the last hour by the storage's own clock, and no key with a `format`, since
   * importing it once more would bring it back. Places stay valid.
   */
  purge(purge: Purge, call?: StorageCall): Promise<Progress>
}

/** Whether a storage takes changes: the primary does; a read replica and a read-only server do not. */
export type StorageMode = 'primary' | 'replica' | 'read_only'

/** What a storage finds out about itself, for operators and health checks. */
export interface StorageDiagnosis {
  /** The product and its version, such as `PostgreSQL 18.4`. */
  readonly system: string
  /** Whether it takes changes. */
  readonly mode: StorageMode
  /** The version of the tables; 0 without any, `null` when it cannot be read. */
  readonly schemaVersion: number | null
  /** The version that this release works with. */
  readonly neededVersion: number
  /** Each right that the library needs and this role lacks; empty at another version of the tables. */
  readonly missingRights: readonly string[]
  /** The events that no relay has acknowledged; `null` when they cannot be read. */
  readonly pendingEvents: PendingEvents | null
}

/** The events that no relay has acknowledged. */
export interface PendingEvents {
  /** How many there are. */
  readonly count: number
  /** When the oldest happened, in milliseconds since the epoch; `null` without one. */
  readonly oldestAtMs: number | null
}
