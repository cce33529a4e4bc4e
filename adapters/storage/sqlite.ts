/**
 * Keys in a SQLite file, through the runtime's own SQLite, `@photostructure/sqlite` or a database that
 * you have opened.
 *
 * @module miftah/sqlite
 */

import type { KeyStorage } from '../../src/storage/index.ts'
import type { SqliteDatabase } from './lib/sqlite/driver.ts'
import {
  anyUnsettled,
  claimEvents,
  events,
  releaseEvents,
  settleEvents,
} from './lib/sqlite/events.ts'
import { findByHash, findById, insert, list, revoke, rotate } from './lib/sqlite/keys.ts'
import { Session } from './lib/sqlite/session.ts'
import { addUses } from './lib/sqlite/usage.ts'

export type { SqliteDatabase, SqliteStatement, SqliteValue } from './lib/sqlite/driver.ts'
export { sqliteSchema } from './lib/sqlite/schema.ts'
export { StorageError, type StorageErrorCode } from './lib/storage-error.ts'

/** How `sqliteStorage` treats its database. */
export interface SqliteStorageOptions {
  /**
   * Whether the first use creates the tables or brings them up to date; `true` unless set. With
   * `false` the storage rejects (`schema_missing`) until `migrate()` or `sqliteSchema()` has run.
   */
  readonly migrate?: boolean
  /**
   * How long a call waits while other processes hold the database, in milliseconds; 5,000 unless
   * set. After that it rejects with the driver's own error and has changed nothing.
   */
  readonly busyTimeoutMs?: number
}

/** A storage in a SQLite file. */
export interface SqliteStorage extends KeyStorage {
  /**
   * Creates the tables or brings them up to date, also with the option `migrate: false`; safe at every
   * start and from many processes. Rejects as every call does.
   */
  migrate(): Promise<void>
  /**
   * Waits for what is under way and closes a database that was opened from a path. Calls after it
   * reject with `StorageError` (`closed`).
   */
  close(): Promise<void>
}

/**
 * Keeps keys in a SQLite database. A path is opened with the runtime's own SQLite or else with
 * `@photostructure/sqlite`, in WAL mode and synchronous = FULL: what has been answered survives a
 * power cut. A database that you opened is used as you set it up and is yours to close; give the
 * storage a connection of its own. Nothing is opened before the first call; a call rejects with
 * `StorageError` (`driver_missing`, `schema_too_new`, …) or with what the driver throws. Throws a
 * `TypeError` for a bad `busyTimeoutMs`.
 *
 * @example
 * ```ts
 * import { sqliteStorage } from 'miftah/sqlite'
 *
 * const storage = sqliteStorage('keys.db')
 * await storage.migrate()
 * await storage.close()
 * ```
 */
export function sqliteStorage(
  pathOrDatabase: string | SqliteDatabase,
  options: SqliteStorageOptions = {},
): SqliteStorage {
  const { migrate = true, busyTimeoutMs = 5_000 } = options
  if (!(busyTimeoutMs >= 0)) throw new TypeError('busyTimeoutMs: a number of milliseconds')
  const session = new Session(pathOrDatabase, { migrate, busyTimeoutMs })
  return {
    insert: (record, activeLimit, event) =>
      session.change((sql) => insert(sql, { record, activeLimit, event })),
    findByHash: (hash) => findByHashNow(session, hash),
    findById: (workspaceId, id) => session.read((sql) => findById(sql, workspaceId, id)),
    list: (workspaceId, query) => session.read((sql) => list(sql, workspaceId, query)),
    rotate: (change) => session.change((sql) => rotate(sql, change)),
    revoke: (change) => session.change((sql) => revoke(sql, change)),
    addUses: (batch) => session.change((sql) => addUses(sql, batch)),
    events: (workspaceId, query) => session.read((sql) => events(sql, workspaceId, query)),
    claimEvents: async (claim) =>
      (await session.read((sql) => anyUnsettled(sql, claim)))
        ? session.change((sql) => claimEvents(sql, claim))
        : [],
    settleEvents: (relay, ids) => session.change((sql) => settleEvents(sql, relay, ids)),
    releaseEvents: (relay) => session.change((sql) => releaseEvents(sql, relay)),
    migrate: () => session.migrate(),
    close: () => session.close(),
  }
}

/** Answers within the call where it can; whatever stands in the way is left to the slow path. */
function findByHashNow(session: Session, hash: string) {
  if (session.ready) {
    try {
      return findByHash(session.ready, hash)
    } catch {
      // Busy, or broken: the slow path waits for the one and rejects with the other.
    }
  }
  return session.read((sql) => findByHash(sql, hash))
}
