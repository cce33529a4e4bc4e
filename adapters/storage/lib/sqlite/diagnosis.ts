import type { StorageDiagnosis } from '../../../../src/storage/index.ts'
import { countsByStatus } from '../key-conditions.ts'
import { integerIn, rowFrom, type SqlRow, textIn } from '../row.ts'
import { keyCountsIn, pendingEventsIn } from '../sql/diagnosis.ts'
import { COUNT_ALL_AGAIN, WRONG_COUNTS } from './active-keys.ts'
import { NOW_MS } from './clock.ts'
import type { SqliteDatabase } from './driver.ts'
import { installedVersion, SCHEMA_VERSION } from './migrations.ts'

/** What SQLite says about itself, without the comparison of the clocks. */
export type SqliteFacts = Omit<StorageDiagnosis, 'clockAheadMs' | 'clockErrorMs'>

/** Answers most of `KeyStorage.diagnose`. Throws what the driver throws where nothing can be written. */
export function diagnose(database: SqliteDatabase): SqliteFacts {
  assertWritable(database)
  const one = (sql: string) => rowFrom(database.prepare(sql).get())
  const schemaVersion = installedVersion(database)
  const isCurrent = schemaVersion === SCHEMA_VERSION
  return {
    system: `SQLite ${textIn(one('SELECT sqlite_version() AS version'), 'version')}`,
    mode: 'primary',
    schemaVersion,
    neededVersion: SCHEMA_VERSION,
    missingRights: [],
    keys: isCurrent ? keyCountsIn(one(`SELECT ${countsByStatus(NOW_MS)} FROM miftah_keys`)) : null,
    activeKeyCounts: isCurrent ? activeKeyCounts(one(WRONG_COUNTS)) : null,
    pendingEvents: isCurrent ? pendingEventsIn(one(UNSETTLED)) : null,
    sequenceRepair: null,
  }
}

/** The clock of SQLite. */
export function clockMs(database: SqliteDatabase): number {
  return integerIn(rowFrom(database.prepare(`SELECT ${NOW_MS} AS now`).get()), 'now')
}

/** Takes the lock of a change and releases it. */
function assertWritable(database: SqliteDatabase): void {
  database.exec('BEGIN IMMEDIATE')
  database.exec('ROLLBACK')
}

const UNSETTLED = `SELECT count(*) AS count, min(e.at_ms) AS oldest_at_ms
  FROM miftah_outbox AS o JOIN miftah_events AS e ON e.position = o.position`

function activeKeyCounts(row: SqlRow): SqliteFacts['activeKeyCounts'] {
  const counts = { wrong: integerIn(row, 'wrong'), repaired: integerIn(row, 'repaired') }
  return { ...counts, repair: COUNT_ALL_AGAIN }
}
