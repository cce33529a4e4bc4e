import type { StorageCall, StorageDiagnosis } from '../../../../src/storage/index.ts'
import { attempts } from '../attempts.ts'
import { deadlineOf } from '../deadline.ts'
import { oneOfIn } from '../sql/cells.ts'
import { RIGHTS } from '../sql/rights.ts'
import { MODES, pendingEventsFrom } from '../sql/rows.ts'
import { type MysqlPool, onConnection, type Run } from './driver.ts'
import { DENIED, errnoOf, MYSQL_FAULTS, unless } from './errors.ts'
import { installedVersion, SCHEMA_VERSION } from './migrations.ts'
import { describe, one } from './server.ts'
import { IS_WRITABLE } from './session.ts'

/** Answers `KeyStorage.diagnose`. It reads only what the user may read, and works on a replica too. */
export function diagnosisOf(pool: MysqlPool) {
  return (call?: StorageCall): Promise<StorageDiagnosis> => {
    const deadline = deadlineOf(call)
    return attempts(MYSQL_FAULTS, 'read', deadline, () => onConnection(pool, deadline, diagnose))
  }
}

async function diagnose(run: Run): Promise<StorageDiagnosis> {
  const { system, database } = await describe(run)
  const mode = await one(
    run,
    `SELECT CASE WHEN ${IS_WRITABLE} THEN 'primary'
      WHEN @@global.innodb_read_only = 1 THEN 'replica' ELSE 'read_only' END AS mode`,
  )
  const schemaVersion = await unless(DENIED, () => installedVersion(run, database))
  const isCurrent = schemaVersion === SCHEMA_VERSION
  const pending = `SELECT COUNT(*) AS count, MIN(at_ms) AS oldest_at_ms
    FROM ${database}.miftah_events WHERE is_pending = 1`
  const pendingEvents = isCurrent ? await unless(DENIED, () => one(run, pending)) : null
  return {
    system,
    mode: oneOfIn(mode, 'mode', MODES),
    schemaVersion,
    neededVersion: SCHEMA_VERSION,
    missingRights: isCurrent ? await missingRights(run, database) : [],
    pendingEvents: pendingEvents && pendingEventsFrom(pendingEvents),
  }
}

/** Statements without effect, which the server refuses without their right. */
const PROBES: Readonly<Record<string, (table: string, column: string) => string>> = {
  SELECT: (table) => `SELECT 1 FROM ${table} LIMIT 0`,
  INSERT: (table, column) => `INSERT INTO ${table} (${column}) SELECT 1 FROM DUAL WHERE FALSE`,
  UPDATE: (table, column) => `UPDATE ${table} SET ${column} = ${column} WHERE FALSE`,
  DELETE: (table) => `DELETE FROM ${table} WHERE FALSE`,
}

async function missingRights(run: Run, database: string): Promise<readonly string[]> {
  const missing: string[] = []
  for (const [name, { use, column }] of Object.entries(RIGHTS)) {
    for (const right of use.split(', ')) {
      const sql = PROBES[right]?.(`${database}.miftah_${name}`, column) ?? ''
      // Another failure of the server, such as one that is read only, says nothing about rights.
      await run(sql).catch((error: unknown) => {
        const errno = errnoOf(error)
        if (errno === null) throw error
        if (DENIED.includes(errno)) missing.push(`${right} ON miftah_${name}`)
      })
    }
  }
  return missing
}
