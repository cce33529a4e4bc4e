import type { Environment, KeyStatus, Person } from '../api-key.ts'
import type { AuditEventRecord } from '../events/audit-event.ts'

/**
 * A key as a storage keeps it: plain data, instants in milliseconds since the epoch (UTC).
 * It carries the hash of the secret and never the secret.
 */
export interface KeyRecord {
  /** SHA-256 of the whole secret: 64 lower-case hex digits, unique in the storage. */
  readonly hash: string
  readonly id: string
  readonly workspaceId: string
  readonly name: string
  readonly environment: Environment
  readonly scopes: readonly string[]
  readonly prefix: string
  readonly creator: Person
  readonly createdAtMs: number
  readonly lastUsedAtMs: number | null
  readonly uses: number
  readonly revokedAtMs: number | null
  readonly replaces: string | null
  readonly replacedBy: string | null
}

/** What `insert` did: stored the record, or found the workspace at its limit and stored nothing. */
export type InsertOutcome =
  | { readonly inserted: true }
  | { readonly inserted: false; readonly activeKeys: number }

/** Which page of a workspace's keys to read. */
export interface KeyPageQuery {
  readonly status: KeyStatus | null
  readonly environment: Environment | null
  /** The id of the last key of the page before, or `null` for the first page. */
  readonly after: string | null
  readonly limit: number
}

/** One page of a workspace's keys, newest first. */
export interface KeyPage {
  readonly records: readonly KeyRecord[]
  /** Whether older keys that match the query follow. */
  readonly more: boolean
  /** All active keys of the workspace, whatever the query's filters. */
  readonly activeKeys: number
}

/** What is to happen to the key `id` of `workspaceId`, and the event that records it. */
export interface RevokeChange {
  readonly workspaceId: string
  readonly id: string
  readonly revokedAtMs: number
  readonly event: AuditEventRecord
}

/** A revocation together with the key that takes the place of the revoked one. */
export interface RotateChange extends RevokeChange {
  readonly replacement: KeyRecord
}

/** What `revoke` did. `record` is the key as it stands now. */
export type RevokeOutcome =
  | { readonly outcome: 'revoked' | 'already_revoked'; readonly record: KeyRecord }
  | { readonly outcome: 'not_found' }

/** What `rotate` did. `replaced` is the old key as it stands now. */
export type RotateOutcome =
  | { readonly outcome: 'rotated'; readonly replaced: KeyRecord; readonly replacement: KeyRecord }
  | { readonly outcome: 'already_revoked' | 'not_found' }

/** The uses of one key since the batch before. */
export interface KeyUses {
  readonly id: string
  /** How many uses to add; a positive whole number. */
  readonly uses: number
  readonly lastUsedAtMs: number
}

/**
 * One flush of counted uses. A writer sends its batches one after another, numbered 1, 2, 3, …, and
 * repeats a batch under the same number until the storage has answered.
 */
export interface UsageBatch {
  /** One running process; a new one for each start. */
  readonly writer: string
  readonly sequence: number
  readonly uses: readonly KeyUses[]
}

/** Which events to read. */
export interface EventQuery {
  /** The id of the last event already read, or `null` to begin at the oldest. */
  readonly after: string | null
  readonly limit: number
}

/** Who asks for undelivered events, for how long it keeps others away, and how many it takes. */
export interface EventClaim {
  /** One running relay; a new one for each start. */
  readonly relay: string
  readonly leaseMs: number
  readonly limit: number
  readonly nowMs: number
}

/**
 * Where keys live. Each method is one atomic step with its guard inside: it happens whole or not at
 * all, also when the process dies, and holds against every other process on the same storage.
 *
 * A storage never widens what a record allows: no method turns `revokedAtMs` back to `null`, and
 * `addUses` touches `uses` and `lastUsedAtMs` and nothing else. A method that cannot answer rejects;
 * it never answers something it does not know. What it hands out and what it was given are copies
 * or frozen: changing them afterwards changes nothing in the storage.
 *
 * Prove an implementation with the suite in `miftah/testing`.
 */
export interface KeyStorage {
  /**
   * Stores a new key and its event, unless the workspace already has `activeLimit` active keys
   * (`null`: no limit). A repeat of a record that is already stored, same `id` and same `hash`,
   * answers `inserted: true` and changes nothing, so a caller may repeat after a lost answer.
   */
  insert(
    record: KeyRecord,
    activeLimit: number | null,
    event: AuditEventRecord,
  ): Promise<InsertOutcome>

  /**
   * The key with this hash, or `null`. Reads the current truth: once `revoke` or `rotate` has
   * answered anywhere, a call that begins later sees the revocation. May answer without a promise.
   */
  findByHash(hash: string): KeyRecord | null | Promise<KeyRecord | null>

  /** The key with this id in this workspace, or `null`; a foreign key is `null` too. */
  findById(workspaceId: string, id: string): Promise<KeyRecord | null>

  /**
   * A page of the workspace's keys, the latest insert first. `null` when `after` names no key of
   * this workspace. A key inserted while a caller pages never shifts the pages that follow.
   */
  list(workspaceId: string, query: KeyPageQuery): Promise<KeyPage | null>

  /**
   * If the key is active: revokes it, stores the replacement, links the two (`replaces` and
   * `replacedBy`) and stores the event. Otherwise says why not and changes nothing. A repeat of a
   * rotation already stored, same replacement `id` and `hash`, answers `rotated` again.
   */
  rotate(change: RotateChange): Promise<RotateOutcome>

  /** If the key is active: sets `revokedAtMs` and stores the event. Otherwise says why not. */
  revoke(change: RevokeChange): Promise<RevokeOutcome>

  /**
   * Adds uses and moves `lastUsedAtMs` forward, never back. A batch whose `sequence` is not above
   * the last one stored for its `writer` was stored before and changes nothing. Ids that name no
   * key are passed over.
   */
  addUses(batch: UsageBatch): Promise<void>

  /** The workspace's audit events, oldest first. `null` when `after` names no event of it. */
  events(workspaceId: string, query: EventQuery): Promise<readonly AuditEventRecord[] | null>

  /**
   * The oldest events not yet settled, in order within each workspace, and a lease on all of them:
   * while it lasts, other relays get an empty answer. The holder renews it by claiming again.
   */
  claimEvents(claim: EventClaim): Promise<readonly AuditEventRecord[]>

  /** Marks events as delivered, if `relay` still holds the lease; they are not claimed again. */
  settleEvents(relay: string, eventIds: readonly string[]): Promise<void>
}
