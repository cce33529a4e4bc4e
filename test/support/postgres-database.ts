import pg from 'pg'
import type { PostgresServer } from './postgres-server.ts'

/** A database of its own on a test server, with pools that are closed together. */
export interface TestDatabase {
  readonly name: string
  /** A pool of the superuser, or of the role that `options` names. */
  readonly pool: (options?: pg.PoolConfig) => pg.Pool
  /** Closes every pool that was made. */
  readonly close: () => Promise<void>
}

/** Makes a database and hands out pools to it. */
export async function testDatabase(server: PostgresServer): Promise<TestDatabase> {
  const name = await server.createDatabase()
  const pools: pg.Pool[] = []
  return {
    name,
    pool: (options = {}) => {
      const made = new pg.Pool({ connectionString: server.url(name, options.user), ...options })
      // An idle connection that breaks would otherwise end the process.
      made.on('error', () => undefined)
      pools.push(made)
      return made
    },
    close: async () => {
      await Promise.all(pools.filter(({ ended }) => !ended).map((pool) => pool.end()))
    },
  }
}
