import type { PendingEvents, StorageCall, StorageDiagnosis } from '../../../../src/storage/index.ts'
import { attempts } from '../attempts.ts'
import { deadlineOf } from '../deadline.ts'
import { integerIn, optionalIntegerIn, rowFrom } from '../sql/cells.ts'
import { type MysqlPool, onConnection, type Run, rowsIn } from './driver.ts'
import { errnoOf, MYSQL_FAULTS } from './errors.ts'
import { RIGHTS } from './grants.ts'
import { installedVersion, SCHEMA_VERSION } from './migrations.ts'
import { describe } from './server.ts'
import { IS_WRITABLE } from './session.ts'

/** Answers `KeyStorage.diagnose`. It reads only what the user may read, and works on a replica too. */
export function diagnosisOf(pool: MysqlPool) {
  return (call?: StorageCall): Promise<StorageDiagnosis> => {
    const deadline = deadlineOf(call)
    return attempts(MYSQL_FAULTS, 'read', deadline, () => onConnection(pool, deadline, diagnose))
  }
}

async function diagnose(run: Run): Promise<StorageDiagnosis> {
  const one = async (sql: string) => rowFrom(rowsIn(await run(`${sql} LIMIT 1`))[0])
  const { system, database } = await describe(run)
  const mode = await one(
    `SELECT ${IS_WRITABLE} AS is_writable, @@global.innodb_read_only AS is_replica`,
  )
  const schemaVersion = await unlessDenied(() => installedVersion(run, database))
  const isCurrent = schemaVersion === SCHEMA_VERSION
  const pending = async (): Promise<PendingEvents> => {
    const row = await one(`SELECT COUNT(*) AS number, MIN(at_ms) AS oldest
      FROM ${database}.miftah_events WHERE is_pending = 1`)
    return { count: integerIn(row, 'number'), oldestAtMs: optionalIntegerIn(row, 'oldest') }
  }
  return {
    system,
    mode:
      integerIn(mode, 'is_writable') === 1
        ? 'primary'
        : integerIn(mode, 'is_replica') === 1
          ? 'replica'
          : 'read_only',
    schemaVersion,
    neededVersion: SCHEMA_VERSION,
    missingRights: isCurrent ? await missingRights(run, database) : [],
    pendingEvents: isCurrent ? await unlessDenied(pending) : null,
  }
}

const DENIED: readonly (number | null)[] = [1044, 1142, 1143]

async function unlessDenied<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    if (DENIED.includes(errnoOf(error))) return null
    throw error
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
      // Any other failure, such as that of a server that is read only, says nothing about rights.
      const errno = await run(sql).then(() => null, numberOf)
      if (DENIED.includes(errno)) missing.push(`${right} ON miftah_${name}`)
    }
  }
  return missing
}

/** Throws what is no error of the server. */
function numberOf(error: unknown): number {
  const errno = errnoOf(error)
  if (errno === null) throw error
  return errno
}
