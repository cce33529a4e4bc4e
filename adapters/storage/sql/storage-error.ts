/** Why a storage cannot do what it was asked to do. */
export type StorageErrorCode =
  | 'broken_row'
  | 'closed'
  | 'driver_missing'
  | 'schema_missing'
  | 'schema_too_new'
  | 'unstorable_value'

/**
 * A fault that the storage itself noticed; faults of the database come as its driver throws them.
 * `code` is stable: `broken_row` (a stored row makes no sense), `closed` (used after `close`),
 * `driver_missing` (no driver to open the database with), `schema_missing` (not migrated, and told
 * not to migrate), `schema_too_new` (a later release has migrated it), `unstorable_value` (a text or
 * number that the database could not give back as it is).
 */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  readonly code: StorageErrorCode

  constructor(code: StorageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
