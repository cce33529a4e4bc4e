import { keepPostgres } from '../canary/postgres.ts'
import { dropDatabases, type PostgresServer, startPostgres } from '../postgres-server.ts'

let shared: Promise<PostgresServer> | null = null

/** A server for those who only need databases on it. */
type SharedPostgres = Pick<PostgresServer, 'url' | 'createDatabase' | 'dispose'>

/**
 * The server of all that this process runs, which ends with the process. Whoever makes roles, reads
 * the log or stops the server starts one of their own. `dispose` drops the databases made here.
 */
export async function sharedPostgres(): Promise<SharedPostgres> {
  shared ??= startPostgres({ synchronous_commit: 'off' })
  const server = await shared
  const made: string[] = []
  return {
    url: server.url,
    createDatabase: async () => {
      const name = await server.createDatabase()
      made.push(name)
      return name
    },
    dispose: async () => {
      if (!server.isForeign) await keepPostgres(server)
      await server.start()
      await dropDatabases(server.url('postgres'), made)
    },
  }
}
