import { rowFrom, textIn } from '../row.ts'
import { StorageError } from '../storage-error.ts'
import type { Connection } from './driver.ts'
import { rowsIn } from './driver.ts'

/** What a server says about itself and about the sessions of a pool. */
export interface Server {
  readonly system: string
  /** What stands in front of a read that must see every commit of a cluster; empty without a cluster. */
  readonly causal: string
  /** Whether a session reads what is not committed yet, unless it asks for better. */
  readonly readsUncommitted: boolean
  readonly variables: ReadonlyMap<string, string>
}

const NAMES = [
  ...['version', 'version_comment', 'autocommit', 'sql_mode', 'wsrep_on', 'character_set_results'],
  ...['transaction_isolation', 'tx_isolation', 'read_only', 'innodb_read_only'],
  ...['innodb_flush_log_at_trx_commit', 'sync_binlog', 'log_bin'],
]

/** A name that a server does not know is left out of its answer. */
const VARIABLES = `SHOW VARIABLES WHERE Variable_name IN ('${NAMES.join("', '")}')`

const CAUSAL = 'SET STATEMENT wsrep_sync_wait = 1 FOR '

/** Asks the server. Throws a `StorageError` (`refused`) for one on which the storage cannot keep its promises. */
export async function serverOf(connection: Connection): Promise<Server> {
  const server = await describe(connection)
  const [misfit] = misfits(server)
  if (misfit !== undefined) throw refusal(misfit)
  return server.causal === '' ? server : await withCausalReads(server, connection)
}

/** The same without a check. */
export async function describe(connection: Connection): Promise<Server> {
  const rows = rowsIn(await connection.run(VARIABLES)).map(rowFrom)
  const variables = new Map(
    rows.map((row) => [textIn(row, 'Variable_name').toLowerCase(), textIn(row, 'Value')]),
  )
  const version = variables.get('version') ?? ''
  const isolation = variables.get('transaction_isolation') ?? variables.get('tx_isolation')
  return {
    system: /mariadb/i.test(version) ? `MariaDB ${version.split('-')[0]}` : `MySQL ${version}`,
    causal: variables.get('wsrep_on') === 'ON' ? CAUSAL : '',
    readsUncommitted: isolation === 'READ-UNCOMMITTED',
    variables,
  }
}

/** What of a server, or of the sessions of a pool, the storage cannot work with, and what to do about it. */
export function misfits({ system, variables }: Server): readonly string[] {
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(system) ?? []
  const least = system.startsWith('MariaDB') ? 10.006 : 8
  const wrong: readonly (readonly [boolean, string])[] = [
    [
      Number(major) + Number(minor) / 1_000 < least,
      `MySQL 8.0 or MariaDB 10.6 is needed, not ${system}`,
    ],
    [
      variables.get('character_set_results') !== 'utf8mb4',
      'character_set_results must be utf8mb4: set the option charset of the pool',
    ],
    [variables.get('autocommit') !== 'ON', 'autocommit must be on'],
    [
      variables.get('sql_mode')?.includes('STRICT_') !== true,
      'sql_mode must have STRICT_TRANS_TABLES, or texts are cut off',
    ],
  ]
  return wrong.flatMap(([isWrong, text]) => (isWrong ? [text] : []))
}

/**
 * A server of a cluster that does not wait for the others would accept a key that was revoked through one of
 * them. The hint stands in the statement, so that no other user of the connection can take it away.
 */
async function withCausalReads(server: Server, connection: Connection): Promise<Server> {
  try {
    const sql = `${server.causal}SELECT @@session.wsrep_sync_wait & 1 AS waits`
    const [row] = rowsIn(await connection.run(sql))
    if (Number(row?.['waits']) === 1) return server
  } catch (cause) {
    throw refusal('this cluster has no SET STATEMENT, which causal reads need', cause)
  }
  throw refusal('this cluster does not wait for causal reads (wsrep_sync_wait)')
}

function refusal(message: string, cause?: unknown): StorageError {
  return new StorageError('refused', message, cause === undefined ? {} : { cause })
}
