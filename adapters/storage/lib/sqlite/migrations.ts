import { checkFrom, foreignSchema, isCurrent } from '../readiness.ts'
import { integerIn, rowFrom } from '../sql/cells.ts'
import type { SqliteDatabase } from './driver.ts'
import { VERSION_1 } from './schema.ts'

/** The migrations in order, each literal SQL that also moves the version; the first makes the tables. */
export const MIGRATIONS: readonly string[] = [VERSION_1]

const MEND = 'use a new file, or delete .data'

/** The schema version that this release reads and writes. */
export const SCHEMA_VERSION = MIGRATIONS.length

/**
 * The SQL that brings a database from schema version `from` (0: empty, the default) to this
 * release's, for teams who apply migrations themselves. Run it in one go, with nothing else in the
 * transaction, and open the storage with `migrate: false`. Throws a `RangeError` for a version that
 * this release does not know.
 *
 * @example
 * ```ts
 * import { sqliteSchema } from 'miftah/sqlite'
 *
 * console.log(sqliteSchema()) // BEGIN IMMEDIATE; …
 * ```
 */
export function sqliteSchema(from = 0): string {
  checkFrom(from, SCHEMA_VERSION, 'sqliteSchema')
  return ['BEGIN IMMEDIATE;', ...MIGRATIONS.slice(from), 'COMMIT;', ''].join('\n\n')
}

/**
 * Brings the schema to the version of the last migration, in one transaction; does nothing, and takes
 * no lock, if it is there already. Throws `StorageError` (`schema_too_new`, `schema_foreign`) rather than touch a
 * database of another release. `name` is what the database is called in messages.
 */
export function migrateSchema(database: SqliteDatabase, name: string): void {
  const version = () => versionWithin(database, name, true)
  if (version() === SCHEMA_VERSION) return
  database.exec('BEGIN IMMEDIATE')
  try {
    // Another process may have migrated meanwhile.
    for (const step of MIGRATIONS.slice(version())) database.exec(step)
    database.exec('COMMIT')
  } catch (error) {
    rollBack(database)
    throw error
  }
}

/** Throws `StorageError` unless the schema is at this release's version. */
export function checkSchema(database: SqliteDatabase, name: string): void {
  versionWithin(database, name, false)
}

function versionWithin(database: SqliteDatabase, name: string, mayMigrate: boolean): number {
  const version = installedVersion(database)
  if (version === 0 && hasTable(database, 'miftah_migrations')) throw foreignSchema(name, MEND)
  isCurrent(version, SCHEMA_VERSION, name, mayMigrate)
  return version
}

/** The version of the tables in the database, 0 without any; it may be of a later release. */
export function installedVersion(database: SqliteDatabase): number {
  if (!hasTable(database, 'miftah_schema')) return 0
  return integerIn(rowFrom(database.prepare('SELECT version FROM miftah_schema').get()), 'version')
}

function hasTable(database: SqliteDatabase, name: string): boolean {
  const found = database
    .prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '${name}'`)
    .get()
  return Boolean(found)
}

/** Rolls back after an error, which stays the one that is reported. */
export function rollBack(database: Pick<SqliteDatabase, 'exec'>): void {
  try {
    database.exec('ROLLBACK')
  } catch {
    // SQLite has rolled back by itself, as it does when the disk is full; the first error tells why.
  }
}
