import { StorageError } from './storage-error.ts'

/** Throws `StorageError` (`schema_too_new`) for a schema that a later release has migrated. */
export function checkNotNewer(version: number, newest: number): void {
  if (version <= newest) return
  const known = `this release only knows versions up to ${newest}`
  const message = `the schema is at version ${version}; ${known}: update miftah in this process`
  throw new StorageError('schema_too_new', message)
}

/** How an operator finds the tables and makes them. */
export interface SchemaPlace {
  /** What the names of the storage and of the function that prints the SQL begin with. */
  readonly engine: 'mysql' | 'postgres' | 'sqlite'
  /** Where the tables belong: `the schema "miftah"`. */
  readonly place: string
  /** Options of `npx miftah migrate`, each after a space. */
  readonly flags?: string
}

/** The same, and `schema_missing` for an older one. */
export function checkCurrent(version: number, needed: number, schema: SchemaPlace): void {
  checkNotNewer(version, needed)
  if (version === needed) return
  const { engine, place, flags = '' } = schema
  const found = version === 0 ? 'has no tables of miftah' : `is at version ${version}`
  const message =
    `${place} ${found}; version ${needed} is needed: run \`npx miftah migrate${flags}\`, leave out ` +
    `\`migrate: false\` of ${engine}Storage, or apply the SQL of ${engine}Schema()`
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
