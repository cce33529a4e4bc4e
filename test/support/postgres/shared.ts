import { dropDatabases, type PostgresServer, startPostgres } from '../postgres-server.ts'

let shared: Promise<PostgresServer> | null = null

/** A server to create databases on, which the tests share. */
type SharedPostgres = Pick<PostgresServer, 'url' | 'createDatabase' | 'dispose'>

/**
 * The server that all tests of this process share. It ends with the process. A test that makes
 * roles, reads the log or stops the server needs to start its own. `dispose` drops the databases
 * made here.
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
      await server.start()
      await dropDatabases(server.url('postgres'), made)
    },
  }
}
