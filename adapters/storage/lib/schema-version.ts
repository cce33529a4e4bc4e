import { StorageError } from './storage-error.ts'

/** Throws `StorageError` (`schema_too_new`) for a schema that a later release has migrated. */
export function checkNotNewer(version: number, newest: number): void {
  if (version <= newest) return
  const known = `this release only knows versions up to ${newest}`
  const message = `the schema is at version ${version}; ${known}: update miftah in this process`
  throw new StorageError('schema_too_new', message)
}

/** The same, and `schema_missing` for an older one; `printer` is the function that prints the SQL. */
export function checkCurrent(version: number, needed: number, printer: string): void {
  checkNotNewer(version, needed)
  if (version === needed) return
  const found = version === 0 ? 'there is no schema' : `the schema is at version ${version}`
  const message = `${found}; version ${needed} is needed: apply the SQL of ${printer}()`
  throw new StorageError('schema_missing', message)
}

/** Throws a `RangeError` unless `from` is a version that `printer` can begin at. */
export function checkFrom(from: number, newest: number, printer: string): void {
  if (Number.isInteger(from) && from >= 0 && from <= newest) return
  throw new RangeError(`${printer}: "from" must be 0 to ${newest}.`)
}

/** The migrations after a version, each followed by the note that it has been applied. */
export function stepsAfter(
  from: number,
  migrations: readonly string[],
  noteOf: (version: number) => string,
): readonly string[] {
  return migrations.flatMap((sql, at) => (at < from ? [] : [sql, noteOf(at + 1)]))
}
