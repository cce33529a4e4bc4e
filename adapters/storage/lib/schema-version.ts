import { StorageError } from './storage-error.ts'

/*
 * What a database says of the tables in it. `name` is what the database is called, such as `the file
 * keys.db` or `the schema "miftah"`.
 */

/** Throws `StorageError`: `schema_too_new` for tables of a later release, `schema_missing` where none may be made. */
export function isCurrent(
  version: number,
  newest: number,
  name: string,
  mayMigrate: boolean,
): boolean {
  if (version > newest) {
    const known = `this release only knows versions up to ${newest}: update miftah in this process`
    const message = `${name} has version ${version} of the tables; ${known}`
    throw new StorageError('schema_too_new', message)
  }
  if (version === newest || mayMigrate) return version === newest
  const found = version === 0 ? 'no tables of miftah' : `version ${version} of the tables`
  const message = `${name} has ${found}; version ${newest} is needed: run npx miftah migrate`
  throw new StorageError('schema_missing', message)
}

/** The error for the tables of a version before 1; `mend` says what else to use. */
export function foreignSchema(name: string, mend: string): StorageError {
  const message = `${name} has tables made by a version of miftah before 1: ${mend}`
  return new StorageError('schema_foreign', message)
}

/** Throws a `RangeError` unless `from` is a version that `printer` can begin at. */
export function checkFrom(from: number, newest: number, printer: string): void {
  if (Number.isInteger(from) && from >= 0 && from <= newest) return
  throw new RangeError(`${printer}: "from" must be 0 to ${newest}.`)
}
