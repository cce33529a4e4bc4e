import { foreignSchema, isCurrent } from '../readiness.ts'
import { integerIn, rowFrom } from '../sql/cells.ts'
import type { SqliteDatabase } from './driver.ts'
import { VERSION_1 } from './schema.ts'

/** The migrations in order, each literal SQL that also moves the version; the first makes the tables. */
export const MIGRATIONS: readonly string[] = [VERSION_1]

const MEND = 'use a new file, or delete .data'

/** The schema version that this release reads and writes. */
export const SCHEMA_VERSION = MIGRATIONS.length

/**
 * The SQL that makes the tables in an empty database, for teams who apply migrations themselves. Run it in one go, with
 * nothing else in the transaction, and open the storage with `migrate: false`.
 *
 * @example
 * ```ts
 * import { sqliteSchema } from 'miftah/sqlite'
 *
 * console.log(sqliteSchema()) // BEGIN IMMEDIATE; …
 * ```
 */
export function sqliteSchema(): string {
  return ['BEGIN IMMEDIATE;', ...MIGRATIONS, 'COMMIT;', ''].join('\n\n')
}

/**
 * Brings the schema of the database called `name` to this release's version, in one transaction; takes no lock if it is
 * there already. Throws `StorageError` rather than touch a database of another release, or any unless `mayMigrate`.
 */
export function migrateSchema(database: SqliteDatabase, name: string, mayMigrate: boolean): void {
  const versionNow = () => {
    const version = installedVersion(database)
    if (version === 0 && hasTable(database, 'miftah_migrations')) throw foreignSchema(name, MEND)
    isCurrent(version, SCHEMA_VERSION, name, mayMigrate)
    return version
  }
  if (versionNow() === SCHEMA_VERSION) return
  database.exec('BEGIN IMMEDIATE')
  try {
    // Another process may have migrated meanwhile.
    for (const step of MIGRATIONS.slice(versionNow())) database.exec(step)
    database.exec('COMMIT')
  } catch (error) {
    rollBack(database)
    throw error
  }
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
