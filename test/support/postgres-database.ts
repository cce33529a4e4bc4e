import pg from 'pg'
import { dropDatabases, type PostgresServer, startPostgres } from './postgres-server.ts'

/** A database of its own on a test server, with pools that are closed together. */
export interface TestDatabase {
  readonly name: string
  readonly url: string
  /** A pool of the superuser, or of the role that `options` names. */
  readonly pool: (options?: pg.PoolConfig) => pg.Pool
  /** Closes every pool that was made, and drops the database. */
  readonly close: () => Promise<void>
}

/** A pool that survives what happens to its idle connections, as a host's pool must. */
export function openPool(options: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(options)
  // Without a listener a connection that breaks while idle would end the process.
  pool.on('error', () => undefined)
  return pool
}

/** Makes a database, to which any number of pools can be opened. */
export async function testDatabase(server: PostgresServer): Promise<TestDatabase> {
  const name = await server.createDatabase()
  const pools: pg.Pool[] = []
  return {
    name,
    url: server.url(name),
    pool: (options = {}) => {
      const made = openPool({ connectionString: server.url(name, options.user), ...options })
      pools.push(made)
      return made
    },
    close: async () => {
      await Promise.all(pools.filter(({ ended }) => !ended).map((pool) => pool.end()))
      await dropDatabases(server.url('postgres'), [name])
    },
  }
}

let shared: Promise<PostgresServer> | null = null

/**
 * The same on the server that all tests of this process share, and which ends with the process. A test that makes
 * roles, reads the log or stops the server needs to start its own.
 */
export async function sharedDatabase(): Promise<TestDatabase> {
  shared ??= startPostgres({ synchronous_commit: 'off' })
  return testDatabase(await shared)
}
