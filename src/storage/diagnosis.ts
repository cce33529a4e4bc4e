import type { KeyStatus } from '../model/key.ts'

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
  /** How far the clock of the storage is ahead of the clock of this process, in milliseconds. */
  readonly clockAheadMs: number
  /** How wrong `clockAheadMs` can be, in milliseconds: half the time that asking took. */
  readonly clockErrorMs: number
  /** Each right that the library needs and this role lacks; empty at another version of the tables. */
  readonly missingRights: readonly string[]
  /** How many keys have each status; `null` when they cannot be read. */
  readonly keys: Readonly<Record<KeyStatus, number>> | null
  /** The counts that the active-key limit goes by; `null` when they cannot be checked. */
  readonly activeKeyCounts: ActiveKeyCounts | null
  /** The events that no relay has acknowledged; `null` when they cannot be read. */
  readonly pendingEvents: PendingEvents | null
  /**
   * The SQL that sets the sequence of event positions right, where new events would be queued before
   * earlier ones, as after a switch by logical replication; `null` where nothing is wrong or the role
   * may not look.
   */
  readonly sequenceRepair: string | null
  /**
   * Each setting of the server or of its sessions with which a promise does not hold, and what to set. Left
   * out where none is looked at.
   */
  readonly settings?: readonly string[]
}

/**
 * How many active keys each workspace has, as the storage keeps it for the limit. A count is wrong only
 * where something has changed rows behind the storage's back.
 */
export interface ActiveKeyCounts {
  /** How many workspaces have a count that is not that of their keys. */
  readonly wrong: number
  /** How often a change of a key has found a count too low and counted the keys again. */
  readonly repaired: number
  /** The SQL that sets all counts right. */
  readonly repair: string
}

/** The events that no relay has acknowledged. */
export interface PendingEvents {
  /** How many there are. */
  readonly count: number
  /** When the oldest happened, in milliseconds since the epoch; `null` without one. */
  readonly oldestAtMs: number | null
}
