import type { StorageCall, StorageDiagnosis } from '../../../../src/storage/index.ts'
import { clockSkew } from '../clock-skew.ts'
import { deadlineOf } from '../deadline.ts'
import { countsByStatus } from '../key-conditions.ts'
import { Progress } from '../progress.ts'
import { integerIn, rowFrom } from '../row.ts'
import { keyCountsIn, pendingEventsIn } from '../sql/diagnosis.ts'
import { NOW_MS } from './clock.ts'
import { type Connection, type MysqlPool, onConnection, rowsIn } from './driver.ts'
import { ERRORS, errnoOf } from './errors.ts'
import { RIGHTS } from './grants.ts'
import { installedVersion, SCHEMA_VERSION } from './migrations.ts'
import { describe, misfits, type Server } from './server.ts'
import { IS_WRITABLE } from './writable.ts'

/** Answers `KeyStorage.diagnose`. It reads only what the user may read, and works on a replica too. */
export function diagnosisOf(pool: MysqlPool) {
  return (call?: StorageCall): Promise<StorageDiagnosis> => {
    const deadline = deadlineOf(call)
    return new Progress(ERRORS, deadline, false).run(() => onConnection(pool, deadline, diagnose))
  }
}

async function diagnose(connection: Connection): Promise<StorageDiagnosis> {
  const one = async (sql: string) => rowFrom(rowsIn(await connection.run(sql))[0])
  const server = await describe(connection)
  const isPrimary = integerIn(await one(`SELECT ${IS_WRITABLE} AS yes`), 'yes') === 1
  const schemaVersion = await unlessDenied(() => installedVersion(connection))
  const isCurrent = schemaVersion === SCHEMA_VERSION
  const ifCurrent = async <T>(work: () => Promise<T>) => (isCurrent ? unlessDenied(work) : null)
  return {
    system: server.system,
    mode: isPrimary ? 'primary' : modeOf(server),
    schemaVersion,
    neededVersion: SCHEMA_VERSION,
    ...(await clockSkew(async () => integerIn(await one(`SELECT ${NOW_MS} AS now`), 'now'))),
    missingRights: isCurrent ? await missingRights(connection) : [],
    keys: await ifCurrent(async () =>
      keyCountsIn(await one(`SELECT ${countsByStatus(NOW_MS)} FROM miftah_keys`)),
    ),
    // They are counted when they are needed, and so are never wrong.
    activeKeyCounts: null,
    pendingEvents: await ifCurrent(async () => pendingEventsIn(await one(PENDING))),
    sequenceRepair: null,
    settings: [...misfits(server), ...losses(server), ...(await clusterFaults(connection, server))],
  }
}

function modeOf({ variables }: Server): 'replica' | 'read_only' {
  return variables.get('innodb_read_only') === 'ON' ? 'replica' : 'read_only'
}

/** Settings with which a crash undoes what was answered. */
function losses({ variables }: Server): readonly string[] {
  const flush = variables.get('innodb_flush_log_at_trx_commit')
  const sync = variables.get('sync_binlog')
  return [
    ...(flush === '1' ? [] : [`innodb_flush_log_at_trx_commit is ${flush}: set it to 1`]),
    ...(variables.get('log_bin') === 'ON' && sync !== '1'
      ? [`sync_binlog is ${sync}: set it to 1`]
      : []),
  ]
}

async function clusterFaults(
  connection: Connection,
  { causal }: Server,
): Promise<readonly string[]> {
  if (causal === '') return []
  const sql = "SHOW STATUS WHERE Variable_name = 'wsrep_ready'"
  const [row] = rowsIn(await connection.run(sql))
  const ready = row?.['Value']
  return ready === 'ON' ? [] : ['wsrep_ready is OFF: this server is not part of its cluster']
}

const PENDING = `SELECT COUNT(*) AS count, MIN(at_ms) AS oldest_at_ms
  FROM miftah_events WHERE is_pending = 1`

/** Access denied to a database, a table or a column. */
const DENIED = new Set([1044, 1142, 1143])

async function unlessDenied<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    if (DENIED.has(errnoOf(error) ?? 0)) return null
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

/** A column of each table that can be written. */
const COLUMNS: Readonly<Record<string, string>> = {
  ...{ keys: 'version', usage: 'uses', usage_hours: 'count', usage_days: 'count' },
  ...{ usage_retention: 'first_hour', writers: 'sequence', workspaces: 'changes' },
  ...{ events: 'is_pending', lease: 'writes', change_clock: 'head', changes: 'sequence' },
  nodes: 'renewal',
}

async function missingRights(connection: Connection): Promise<readonly string[]> {
  const missing: string[] = []
  for (const [name, { use }] of Object.entries(RIGHTS)) {
    for (const right of use.split(', ')) {
      const sql = PROBES[right]?.(`miftah_${name}`, COLUMNS[name] ?? '') ?? ''
      if (await isDenied(connection, sql)) missing.push(`${right} ON miftah_${name}`)
    }
  }
  return missing
}

/** Any other failure, such as that of a server that is read only, says nothing about rights. */
async function isDenied(connection: Connection, sql: string): Promise<boolean> {
  try {
    await connection.run(sql)
    return false
  } catch (error) {
    if (errnoOf(error) === null) throw error
    return DENIED.has(errnoOf(error) ?? 0)
  }
}
