import { integerIn, rowFrom } from '../row.ts'
import { StorageError } from '../storage-error.ts'
import type { SqliteDatabase } from './driver.ts'
import { MIGRATIONS, SCHEMA_VERSION, VERSION_TABLE, versionNote } from './schema/index.ts'
import { rollBack } from './transaction.ts'

/**
 * Brings the schema to this release's version, in one transaction; does nothing, and takes no lock,
 * if it is there already. Throws `StorageError` (`schema_too_new`) rather than touch a database that
 * a later release has migrated.
 */
export function migrateSchema(database: SqliteDatabase): void {
  if (schemaVersion(database) === SCHEMA_VERSION) return
  database.exec('BEGIN IMMEDIATE')
  try {
    // Another process may have migrated while this one waited for the lock.
    const from = schemaVersion(database)
    database.exec(VERSION_TABLE)
    for (const [index, sql] of MIGRATIONS.entries()) {
      if (index < from) continue
      database.exec(sql)
      database.exec(versionNote(index + 1))
    }
    database.exec('COMMIT')
  } catch (error) {
    rollBack(() => database.exec('ROLLBACK'))
    throw error
  }
}

/** Throws `StorageError` unless the schema is at this release's version. */
export function checkSchema(database: SqliteDatabase): void {
  const version = schemaVersion(database)
  if (version === SCHEMA_VERSION) return
  const message = `the schema is at version ${version}; this release needs ${SCHEMA_VERSION}`
  throw new StorageError('schema_missing', message)
}

function schemaVersion(database: SqliteDatabase): number {
  const version = installedVersion(database)
  if (version <= SCHEMA_VERSION) return version
  const known = `this release only knows versions up to ${SCHEMA_VERSION}`
  const message = `the schema is at version ${version}; ${known}`
  throw new StorageError('schema_too_new', message)
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
