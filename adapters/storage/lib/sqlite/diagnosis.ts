import type { StorageDiagnosis } from '../../../../src/storage/index.ts'
import { rowFrom, textIn } from '../sql/cells.ts'
import { pendingEventsFrom } from '../sql/rows.ts'
import { isOf, type SqliteDatabase } from './driver.ts'
import { installedVersion, rollBack, SCHEMA_VERSION } from './migrations.ts'

/** Answers `KeyStorage.diagnose`. Throws what the driver throws, also while the database is locked. */
export function diagnose(database: SqliteDatabase): StorageDiagnosis {
  const one = (text: string) => rowFrom(database.prepare(text).get())
  const schemaVersion = installedVersion(database)
  const pending =
    schemaVersion === SCHEMA_VERSION
      ? one(`SELECT count(*) AS count, min(at_ms) AS oldest_at_ms
          FROM miftah_events WHERE is_pending = 1`)
      : null
  return {
    system: `SQLite ${textIn(one('SELECT sqlite_version() AS version'), 'version')}`,
    mode: isWritable(database) ? 'primary' : 'read_only',
    schemaVersion,
    neededVersion: SCHEMA_VERSION,
    missingRights: [],
    pendingEvents: pending && pendingEventsFrom(pending),
  }
}

function isWritable(database: SqliteDatabase): boolean {
  try {
    database.exec('BEGIN IMMEDIATE')
  } catch (error) {
    if (isOf('READONLY', error)) return false
    throw error
  }
  rollBack(database)
  return true
}
