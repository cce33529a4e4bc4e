import { readFileSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from './free-port.ts'
import { createCluster, postgresBinaries, serverFolder } from './postgres/binaries.ts'
import { keepServer } from './postgres/keeper.ts'

/** `fast` ends sessions and writes a checkpoint; `immediate` is a crash; `kill` is `kill -9`. */
const SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT', kill: 'SIGKILL' } as const

/** A PostgreSQL server that tests own: started for them, or named by the environment. */
export interface PostgresServer {
  readonly host: string
  readonly port: number
  /** Connection string of a database; `user` is the superuser unless given. */
  readonly url: (database: string, user?: string) => string
  /** Makes an empty database and names it. */
  readonly createDatabase: () => Promise<string>
  readonly stop: (mode?: keyof typeof SIGNALS) => Promise<void>
  readonly start: () => Promise<void>
  /** Stops the server and removes all that it stored; of a foreign one, the databases made here. */
  readonly dispose: () => Promise<void>
  /** Where the server keeps its files; empty for a foreign one. */
  readonly data: string
}

/**
 * Starts a real PostgreSQL from the npm-shipped binaries, on loopback, on a free port, in a data
 * folder of its own, and stops it also when this process dies. `MIFTAH_TEST_POSTGRES_URL` names
 * a server to use instead (a superuser's connection string).
 */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  const foreign = process.env['MIFTAH_TEST_POSTGRES_URL']
  if (foreign) return foreignServer(new URL(foreign))
  const data = serverFolder('miftah-pg-')
  const cluster = await createCluster(await postgresBinaries(), data)
  return runCluster({ data, cluster, settings })
}

/** What it takes to run one data folder. */
interface Cluster {
  readonly data: string
  readonly cluster: string
  readonly settings: Readonly<Record<string, string>>
}

/** Runs the server of a data folder that is there already. */
export async function runCluster({ data, cluster, settings }: Cluster): Promise<PostgresServer> {
  const [binaries, port] = [await postgresBinaries(), await freePort()]
  const url = (database: string, user = 'postgres') =>
    `postgres://${user}@127.0.0.1:${port}/${database}`
  const all = {
    ...{ listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: '' },
    // A crash of the server process loses nothing that it handed to the system; only a crash of
    // the machine would, and tests cause none.
    ...{ fsync: 'off', max_connections: '200', shared_buffers: '64MB', ...settings },
  }
  const words = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const command = [join(binaries, 'bin/postgres'), '-D', cluster, ...words]
  let server: ReturnType<typeof keepServer> | null = null

  /** Whether the server answers; false once it has ended or twenty seconds have passed. */
  const answers = async () => {
    for (let tries = 0; tries < 1_000 && server?.isRunning(); tries += 1) {
      if (await canQuery(url('postgres'))) return true
      await sleep(20)
    }
    return false
  }
  const start = async () => {
    if (server?.isRunning()) return
    for (let tries = 1; ; tries += 1) {
      server = keepServer(command, data)
      if (await answers()) return
      const log = await readFile(join(data, 'server.log'), 'utf8')
      if (tries === 100 || !log.trimEnd().split('\n').slice(-3).some(isHeldByOrphans)) {
        throw new Error(`PostgreSQL did not start: ${log}`)
      }
      await sleep(100)
    }
  }
  const stop: PostgresServer['stop'] = async (mode = 'fast') => {
    if (!server?.isRunning()) return
    server.release()
    const [pid] = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')
    process.kill(Number(pid), SIGNALS[mode])
    await server.gone
  }
  await start()
  return {
    ...{ host: '127.0.0.1', port, url, start, stop, data },
    createDatabase: () => createDatabase(url('postgres')),
    dispose: async () => {
      await stop('immediate')
      await rm(data, { recursive: true, force: true })
    },
  }
}

/** After a kill, the children of the old server hold its memory until they notice. */
function isHeldByOrphans(line: string): boolean {
  return line.includes('pre-existing shared memory block') || line.includes('Terminate any old')
}

async function canQuery(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  client.on('error', () => undefined)
  const isAnswered = client
    .connect()
    .then(() => client.query('SELECT 1'))
    .then(
      () => true,
      () => false,
    )
  return isAnswered.finally(() => client.end().catch(() => undefined))
}

function foreignServer(given: URL): PostgresServer {
  const url = (database: string, user?: string) => {
    const changed = new URL(given)
    changed.pathname = `/${database}`
    if (user) Object.assign(changed, { username: user, password: '' })
    return changed.href
  }
  const neither = async () => {
    throw new Error('a server named by the environment is neither stopped nor started')
  }
  const made: string[] = []
  return {
    ...{ host: given.hostname, port: Number(given.port || 5432), url, data: '' },
    ...{ stop: neither, start: neither },
    createDatabase: async () => {
      const name = await createDatabase(given.href)
      made.push(name)
      return name
    },
    dispose: () => dropDatabases(given.href, made),
  }
}

async function createDatabase(url: string): Promise<string> {
  const name = `miftah_${Math.random().toString(36).slice(2, 12)}`
  await runEach(url, [`CREATE DATABASE ${name}`])
  return name
}

/** Drops databases, even while clients are connected to them. */
export function dropDatabases(url: string, names: readonly string[]): Promise<void> {
  return runEach(
    url,
    names.map((name) => `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  )
}

/** Runs statements on a connection of their own. */
export async function runEach(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
