/**
 * Keys in a SQLite file, through the runtime's own SQLite, `@photostructure/sqlite` or a database that
 * you have opened.
 *
 * @module miftah/sqlite
 */

import type { KeyStorage, StorageCall, StorageDiagnosis } from '../../src/storage/index.ts'
import { clockSkew } from './lib/clock-skew.ts'
import { checkOptions } from './lib/options.ts'
import { bytesFromHash } from './lib/sql/hash-bytes.ts'
import { recordFrom } from './lib/sql/keys.ts'
import { storageOn } from './lib/sql/storage.ts'
import { clockMs, diagnose } from './lib/sqlite/diagnosis.ts'
import type { SqliteDatabase } from './lib/sqlite/driver.ts'
import { isConstraint } from './lib/sqlite/driver.ts'
import { Session } from './lib/sqlite/session.ts'
import type { Statements } from './lib/sqlite/statements.ts'
import { atOnce, snapshot } from './lib/sqlite/transaction.ts'
import { type StorableStorage, storableOnly } from './lib/storable-storage.ts'
import { StorageError } from './lib/storage-error.ts'

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
    ...storableOnly(storageOf(session)),
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

function storageOf(session: Session): StorableStorage {
  const storage = storageOn({
    read: (work, call) => session.read((sql) => atOnce(work(sql)), call),
    together: (work, call) => session.read((sql) => snapshot(sql, () => work(sql)), call),
    change: (work, call) => session.change(work, call),
    // The database is in this process.
    nowMs: () => Date.now(),
  })
  return {
    ...storage,
    findByHash: (hash, call) => findByHash(session, hash, call),
    addUses: (batch, call) =>
      storage.addUses(batch, call).catch((cause: unknown) => {
        throw isConstraint(cause) ? refused(cause) : cause
      }),
  }
}

/** Answers within the call where it can; whatever stands in the way is left to the slow path. */
function findByHash(session: Session, hash: string, call?: StorageCall) {
  const find = (sql: Statements) => {
    const row = sql.keyByHash.get(bytesFromHash(hash))
    return row ? recordFrom(row) : null
  }
  if (session.ready) {
    const { sql, attemptRead } = session.ready
    try {
      return attemptRead(() => find(sql))
    } catch {
      // Busy, or broken: the slow path waits for the one and rejects with the other.
    }
  }
  return session.read(find, call)
}

function refused(cause: unknown): StorageError {
  const { message } = cause as Error
  return new StorageError('unstorable_value', `SQLite refused the batch: ${message}`, { cause })
}
