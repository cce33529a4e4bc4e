import { recognizeAcrossCopies } from '../../../src/model/across-copies.ts'

/** Why a storage failed; {@link StorageError} explains each. */
export type StorageErrorCode =
  | 'broken_row'
  | 'busy'
  | 'closed'
  | 'driver_missing'
  | 'not_primary'
  | 'outcome_unknown'
  | 'refused'
  | 'schema_foreign'
  | 'schema_missing'
  | 'schema_too_new'
  | 'timeout'
  | 'unavailable'
  | 'unstorable_value'

/**
 * The error that storages of this package reject with; never a verdict about a key. Through
 * `createApiKeys` it is the `cause` of an `OutageError`. Its own `cause` is the driver's error, without
 * anything that may quote from rows and parameters.
 *
 * `code` is stable. Nothing was changed with `busy` (locked by others, or too many calls wait), `timeout`
 * (no answer in time), `unavailable` (the file cannot be used or the server cannot be reached),
 * `unstorable_value` (a text or number that the database would not return unchanged, or that it refuses),
 * `refused` (a server refused the statement) and `not_primary` (a read replica, which may be behind). With
 * `outcome_unknown` the change may have been made: repeating the call is safe and finds out.
 *
 * The others are `broken_row` (a stored row is invalid), `closed` (used after `close`), `driver_missing` (no
 * driver to open the database with, or one that is too old), `schema_missing` (not migrated, and the
 * storage must not), `schema_foreign` (tables of a version before 1) and `schema_too_new` (migrated by a
 * later release).
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
