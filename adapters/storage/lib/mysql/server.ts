import { integerIn, optionalTextIn, rowFrom, type SqlRow, textIn } from '../sql/cells.ts'
import { StorageError } from '../storage-error.ts'
import { type Run, rowsIn } from './driver.ts'
import { unless } from './errors.ts'

/** What a server and the sessions of a pool are like. */
export interface Server {
  readonly system: string
  readonly isSupported: boolean
  /** The database of the tables, as SQL names it: a session may be in another one later. */
  readonly database: string
  readonly isMariaDb: boolean
  /** What stands in front of a read that must see every commit of a cluster; empty without a cluster. */
  readonly causal: string
  readonly isolation: 'transaction_isolation' | 'tx_isolation'
}

const CAUSAL = 'SET STATEMENT wsrep_sync_wait = 1 FOR '

/** Asks the server. Throws a `StorageError` (`refused`) for one on which the storage cannot keep its promises. */
export async function serverOf(run: Run): Promise<Server> {
  const server = await describe(run)
  if (!server.isSupported) {
    throw refusal(`MySQL 8.0 or MariaDB 10.6 is needed, not ${server.system}`)
  }
  if (server.database === '``') throw refusal('the pool must name a database')
  if (server.causal !== '') await checkCausal(run, server)
  return server
}

export async function describe(run: Run): Promise<Server> {
  const row = await one(run, 'SELECT @@version AS version, HEX(DATABASE()) AS name')
  const version = textIn(row, 'version')
  const isMariaDb = /mariadb/i.test(version)
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(version) ?? []
  const number = Number(major) + Number(minor) / 1_000
  const name = Buffer.from(optionalTextIn(row, 'name') ?? '', 'hex').toString()
  return {
    system: isMariaDb ? `MariaDB ${version.split('-')[0]}` : `MySQL ${version}`,
    isSupported: number >= (isMariaDb ? 10.006 : 8),
    database: `\`${name.replaceAll('`', '``')}\``,
    isMariaDb,
    causal: (await isOfCluster(run)) ? CAUSAL : '',
    isolation: isMariaDb && number < 11.001 ? 'tx_isolation' : 'transaction_isolation',
  }
}

/** ER_UNKNOWN_SYSTEM_VARIABLE. */
const UNKNOWN_VARIABLE = 1193

async function isOfCluster(run: Run): Promise<boolean> {
  const row = await unless([UNKNOWN_VARIABLE], () => one(run, 'SELECT @@wsrep_on AS is_on'))
  return row !== null && integerIn(row, 'is_on') === 1
}

/**
 * A server of a cluster that does not wait for the others would accept a key that was revoked through one of
 * them. The setting stands in the statement, so that no other user of the connection can take it away.
 */
async function checkCausal(run: Run, { causal }: Server): Promise<void> {
  const row = await one(run, `${causal}SELECT @@session.wsrep_sync_wait & 1 AS waits`)
  if (integerIn(row, 'waits') === 1) return
  throw refusal('this cluster does not wait for causal reads (wsrep_sync_wait)')
}

export async function one(run: Run, sql: string): Promise<SqlRow> {
  return rowFrom(rowsIn(await run(`${sql} LIMIT 1`))[0])
}

export function refusal(message: string): StorageError {
  return new StorageError('refused', message)
}
