import { integerIn, optionalTextIn, rowFrom } from '../row.ts'
import { checkCurrent, checkFrom, checkNotNewer, stepsAfter } from '../schema-version.ts'
import type { SqliteDatabase } from './driver.ts'
import { VERSION_1 } from './schema.ts'
import { rollBack } from './transaction.ts'

/** The migrations in order, each literal SQL; the first brings an empty database to version 1. */
export const MIGRATIONS: readonly string[] = [VERSION_1]

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
  return ['BEGIN IMMEDIATE;', ...steps(MIGRATIONS, from), 'COMMIT;', ''].join('\n\n')
}

/**
 * Brings the schema to the version of the last migration, in one transaction; does nothing, and takes
 * no lock, if it is there already. Throws `StorageError` (`schema_too_new`) rather than touch a
 * database that a later release has migrated.
 */
export function migrateSchema(database: SqliteDatabase, migrations = MIGRATIONS): void {
  if (schemaVersion(database, migrations.length) === migrations.length) return
  database.exec('BEGIN IMMEDIATE')
  try {
    // Another process may have migrated while this one waited for the lock.
    const from = schemaVersion(database, migrations.length)
    for (const step of steps(migrations, from)) database.exec(step)
    database.exec('COMMIT')
  } catch (error) {
    rollBack(() => database.exec('ROLLBACK'))
    throw error
  }
}

/** Throws `StorageError` unless the schema is at this release's version. */
export function checkSchema(database: SqliteDatabase): void {
  const place = `the SQLite ${placeOf(database)}`
  checkCurrent(installedVersion(database), SCHEMA_VERSION, { engine: 'sqlite', place })
}

function placeOf(database: SqliteDatabase): string {
  const path = optionalTextIn(rowFrom(database.prepare('PRAGMA database_list').get()), 'file')
  return path ? `file ${path}` : 'database in memory'
}

function steps(migrations: readonly string[], from: number): readonly string[] {
  const noteOf = (version: number) =>
    `INSERT INTO miftah_migrations VALUES (${version}, unixepoch());`
  return stepsAfter(from, migrations, noteOf)
}

function schemaVersion(database: SqliteDatabase, newest: number): number {
  const version = installedVersion(database)
  checkNotNewer(version, newest)
  return version
}

/** The version of the tables in the database, 0 without any; it may be of a later release. */
export function installedVersion(database: SqliteDatabase): number {
  const table = database
    .prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'miftah_migrations'")
    .get()
  if (!table) return 0
  const newest = database
    .prepare('SELECT coalesce(max(version), 0) AS version FROM miftah_migrations')
    .get()
  return integerIn(rowFrom(newest), 'version')
}
