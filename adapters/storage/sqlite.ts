/**
 * Keys in a SQLite file, through the runtime's own SQLite, `@photostructure/sqlite` or a database that you have opened.
 *
 * @module miftah/sqlite
 */

import type {
  KeyRecord,
  KeyStorage,
  StorageCall,
  StorageDiagnosis,
} from '../../src/storage/index.ts'
import { flag, OptionChecks } from './lib/options.ts'
import { bytesFromHash } from './lib/sql/hash-bytes.ts'
import { keyByHash } from './lib/sql/keys.ts'
import { keyRecordFrom } from './lib/sql/rows.ts'
import { storageOn } from './lib/sql/storage.ts'
import { atOnce } from './lib/sql/work.ts'
import { diagnose } from './lib/sqlite/diagnosis.ts'
import { SQLITE } from './lib/sqlite/dialect.ts'
import type { SqliteDatabase } from './lib/sqlite/driver.ts'
import { Session } from './lib/sqlite/session.ts'
import { outcomeOf } from './lib/sqlite/write.ts'
import { type StorableStorage, storableOnly } from './lib/storable-storage.ts'

export type { SqliteDatabase, SqliteStatement, SqliteValue } from './lib/sqlite/driver.ts'
export { sqliteSchema } from './lib/sqlite/migrations.ts'
export { StorageError, type StorageErrorCode } from './lib/storage-error.ts'

const checks = new OptionChecks('sqliteStorage')

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
  /** As every storage; takes the lock of a change for a moment. */
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
 * `unavailable` for a file that cannot be used, …). A call that meets a lock of another process waits for as
 * long as its caller does (`storageTimeoutMs`), and then rejects (`busy`).
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
  const wrong = wrongIn(pathOrDatabase)
  checks.that(wrong === null, `"pathOrDatabase" must ${wrong}.`)
  const { migrate = true } = checks.object(options, { migrate: flag })
  const session = new Session(pathOrDatabase, { migrate })
  return {
    ...storableOnly(storageOf(session)),
    batchKeys: BATCH_KEYS,
    migrate: (call) => session.migrate(call),
    compact: (call) => session.compact(call),
    diagnose: (call) => session.inspect(diagnose, call),
    close: () => session.close(),
  }
}

/** So many keys and their events are written in 5 to 10 ms, for which the process does nothing else. */
const BATCH_KEYS = 50

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
  const storage = storageOn(SQLITE, {
    read: (work, call) => session.read(work, call),
    change: (work, call) =>
      session.change((on) => atOnce(work(), (statement) => on.run(statement)), call),
  })
  return {
    ...storage,
    findByHash: (hash, call) => {
      const found = findAtOnce(session, hash)
      return found === undefined ? storage.findByHash(hash, call) : found
    },
    write: (writes, call) =>
      session.change((on) => writes.map((write) => outcomeOf(on, write)), call),
  }
}

const FIND = keyByHash(SQLITE, '0'.repeat(64)).text

/** Answers within the call where it can; whatever stands in the way is left to the slow path (`undefined`). */
function findAtOnce({ ready }: Session, hash: string): KeyRecord | null | undefined {
  if (ready === null) return undefined
  try {
    const row = ready.attempt(() => ready.prepared(FIND).get(bytesFromHash(hash)))
    return row ? keyRecordFrom(row) : null
  } catch {
    // Busy, or broken: the slow path waits for the one and rejects with the other.
    return undefined
  }
}
