import { recognizeAcrossCopies } from '../../../src/model/across-copies.ts'

/** Why a storage failed; {@link StorageError} explains each. */
export type StorageErrorCode =
  | 'broken_row'
  | 'closed'
  | 'driver_missing'
  | 'not_primary'
  | 'outcome_unknown'
  | 'refused'
  | 'schema_missing'
  | 'schema_too_new'
  | 'timeout'
  | 'unavailable'
  | 'unstorable_value'

/**
 * The error that storages of this package reject with; never a verdict about a key. Through
 * `createApiKeys` it is the `cause` of an `OutageError`. Failures of a database in this process come
 * as its driver throws them; those of a server have the driver's error as `cause`, without anything
 * that it may quote from rows and parameters.
 *
 * `code` is stable: `broken_row` (a stored row is invalid), `closed` (used after `close`),
 * `driver_missing` (no driver to open the database with), `schema_missing` (not migrated, and told
 * not to migrate), `schema_too_new` (migrated by a later release), `unavailable` (the SQLite file cannot
 * be opened or the server cannot be reached; nothing was changed), `unstorable_value` (a text or number
 * that the database would not return unchanged, or a batch of uses that it refuses).
 *
 * From a server also `timeout` (no answer in time; nothing was changed), `outcome_unknown` (the answer to
 * a change was lost, so it may have been made; repeating the call is safe and finds out), `refused` (the
 * server refused the statement; nothing was changed) and `not_primary` (a read replica, which may be behind).
 *
 * @example
 * ```ts
 * import { StorageError, sqliteStorage } from 'miftah/sqlite'
 *
 * const storage = sqliteStorage('keys.db')
 * await storage.close()
 * const error: unknown = await storage.migrate().catch((reason) => reason)
 * if (error instanceof StorageError) error.code //=> 'closed'
 * ```
 */
export class StorageError extends Error {
  /** Always `StorageError`, also where a bundler has renamed the class. */
  override get name(): 'StorageError' {
    return 'StorageError'
  }
  /** Which reason it is; stable. */
  readonly code: StorageErrorCode

  /** Thrown by the storages; one of your own may throw it too. */
  constructor(code: StorageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

recognizeAcrossCopies(StorageError, 'StorageError')
