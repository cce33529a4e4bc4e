/**
 * Keys in a SQLite file, through the runtime's own SQLite, `@photostructure/sqlite` or a database that
 * you have opened.
 *
 * @module miftah/sqlite
 */

import type { KeyStorage, StorageCall, StorageDiagnosis } from '../../src/storage/index.ts'
import { clockSkew } from './lib/clock-skew.ts'
import { checkOptions } from './lib/options.ts'
import { clockMs, diagnose } from './lib/sqlite/diagnosis.ts'
import type { SqliteDatabase } from './lib/sqlite/driver.ts'
import { erasePerson, eraseWorkspace, purge } from './lib/sqlite/erasure.ts'
import {
  acknowledgeEvents,
  anyPending,
  claimEvents,
  events,
  releaseEvents,
} from './lib/sqlite/events.ts'
import {
  commitDurably,
  findByHash,
  findById,
  insert,
  list,
  revoke,
  revokeMany,
  rotate,
  update,
} from './lib/sqlite/keys.ts'
import { dueNotices, storeNotices } from './lib/sqlite/notices.ts'
import { Session } from './lib/sqlite/session.ts'
import { addUses, usage } from './lib/sqlite/usage.ts'

export type { SqliteDatabase, SqliteStatement, SqliteValue } from './lib/sqlite/driver.ts'
export { sqliteSchema } from './lib/sqlite/migrations.ts'
export { StorageError, type StorageErrorCode } from './lib/storage-error.ts'

/** How `sqliteStorage` treats its database. */
export interface SqliteStorageOptions {
  /**
   * Whether the first use creates the tables or brings them up to date; `true` unless set. With
   * `false` the storage rejects (`schema_missing`) until `migrate()` or `sqliteSchema()` has run.
   */
  readonly migrate?: boolean
}

/** A storage in a SQLite file. */
export interface SqliteStorage extends KeyStorage {
  /**
   * Creates the tables or brings them up to date, also with the option `migrate: false`; safe at every
   * start and from many processes. Rejects as every call does.
   */
  migrate(call?: StorageCall): Promise<void>
  /**
   * What an operator needs to know when something is wrong: schema, clock, keys and events. It
   * changes nothing, but takes the lock of a change for a moment. Rejects where nothing can be
   * written.
   */
  diagnose(call?: StorageCall): Promise<StorageDiagnosis>
  /**
   * Removes what was erased or deleted from the file and from its log: SQLite by itself leaves parts of
   * it behind. It rewrites the file, which blocks the process and all who write to the file meanwhile, and
   * takes up to twice its size in disk space. Rejects as every call does, also when a reader in
   * another process keeps the log in use until the time of the call is over.
   */
  compact(call?: StorageCall): Promise<void>
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
 * storage a connection of its own. Invalid arguments throw a `TypeError` at once. Nothing is opened
 * before the first call; a call rejects with `StorageError` (`driver_missing`, `schema_too_new`,
 * `unavailable` for a path that cannot be opened, …) or with what the driver throws. A call that meets a lock of another process waits for as long as its caller does (`storageTimeoutMs`).
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
  checkSource(pathOrDatabase)
  const { migrate = true } = checkOptions('sqliteStorage', options, { migrate: 'boolean' })
  const session = new Session(pathOrDatabase, { migrate })
  return {
    insert: (record, activeLimit, event, call) =>
      session.change(
        (sql, waitedMs) => insert(sql, { record, activeLimit, event }, waitedMs),
        call,
      ),
    findByHash: (hash, call) => findByHashNow(session, hash, call),
    findById: (workspaceId, id, call) =>
      session.read((sql) => findById(sql, workspaceId, id), call),
    list: (workspaceId, query, call) => session.read((sql) => list(sql, workspaceId, query), call),
    update: (change, call) =>
      session.change((sql, waitedMs) => update(sql, change, waitedMs), call),
    rotate: (change, call) =>
      session.change((sql, waitedMs) => rotate(sql, change, waitedMs), call),
    revoke: (change, call) =>
      session.change((sql, waitedMs) => revoke(sql, change, waitedMs), call),
    revokeMany: (change, call) =>
      session.change((sql, waitedMs) => revokeMany(sql, change, waitedMs), call),
    confirm: async (_workspaceId, call) => {
      await session.change(commitDurably, call)
      return {}
    },
    addUses: (batch, call) => session.change((sql) => addUses(sql, batch), call),
    usage: (workspaceId, query, call) =>
      session.read((sql) => usage(sql, workspaceId, query), call),
    events: (workspaceId, query, call) =>
      session.read((sql) => events(sql, workspaceId, query), call),
    claimEvents: async (claim, call) =>
      (await session.read((sql) => anyPending(sql, claim), call))
        ? session.change((sql) => claimEvents(sql, claim), call)
        : [],
    acknowledgeEvents: (relay, ids, call) =>
      session.change((sql) => acknowledgeEvents(sql, relay, ids), call),
    releaseEvents: (relay, call) => session.change((sql) => releaseEvents(sql, relay), call),
    dueNotices: (query, call) => session.read((sql) => dueNotices(sql, query), call),
    storeNotices: (notices, call) => session.change((sql) => storeNotices(sql, notices), call),
    erasePerson: (erasure, call) => session.change((sql) => erasePerson(sql, erasure), call),
    eraseWorkspace: (erasure, call) => session.change((sql) => eraseWorkspace(sql, erasure), call),
    purge: (asked, call) => session.change((sql) => purge(sql, asked), call),
    migrate: (call) => session.migrate(call),
    compact: (call) => session.compact(call),
    diagnose: async (call) => {
      const facts = await session.inspect(diagnose, call)
      return { ...facts, ...(await clockSkew(() => session.inspect(clockMs, call))) }
    },
    close: () => session.close(),
  }
}

function checkSource(source: string | SqliteDatabase): void {
  const needed = wrongIn(source)
  if (needed !== null) throw new TypeError(`sqliteStorage: "pathOrDatabase" must ${needed}.`)
}

function wrongIn(source: string | SqliteDatabase): string | null {
  if (source === '') return 'not be empty'
  if (typeof source === 'string') {
    // SQLite would create a file with the name of the URL. One letter is a drive of Windows.
    const [scheme] = /^(?!file:)[a-z][a-z\d+.-]+:/i.exec(source) ?? []
    return scheme === undefined ? null : `be a path or a file: URL, not a ${scheme} URL`
  }
  if (typeof source?.exec === 'function' && typeof source.prepare === 'function') return null
  return 'be a path or have the methods "exec" and "prepare"'
}

/** Answers within the call where it can; whatever stands in the way is left to the slow path. */
function findByHashNow(session: Session, hash: string, call?: StorageCall) {
  if (session.ready) {
    const { sql, attemptRead } = session.ready
    try {
      return attemptRead(() => findByHash(sql, hash))
    } catch {
      // Busy, or broken: the slow path waits for the one and rejects with the other.
    }
  }
  return session.read((sql) => findByHash(sql, hash), call)
}
