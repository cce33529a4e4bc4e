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
