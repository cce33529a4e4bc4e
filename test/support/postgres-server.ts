import { readFileSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from './free-port.ts'
import { postgresBinaries } from './postgres/binaries.ts'
import { createCluster, serverFolder } from './postgres/cluster.ts'
import { type KeptServer, keepServer } from './postgres/keeper.ts'

/** `fast` ends sessions and writes a checkpoint; `immediate` is a crash; `kill` is `kill -9`. */
type StopMode = 'fast' | 'immediate' | 'kill'

const SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT', kill: 'SIGKILL' } as const

/** A PostgreSQL server that tests own: started for them, or named by the environment. */
export interface PostgresServer {
  readonly host: string
  readonly port: number
  /** Connection string of a database; `user` is the superuser unless given. */
  readonly url: (database: string, user?: string) => string
  /** Makes an empty database and names it. */
  readonly createDatabase: () => Promise<string>
  readonly stop: (mode?: StopMode) => Promise<void>
  readonly start: () => Promise<void>
  /** Stops the server and removes all that it stored; of a foreign one, the databases made here. */
  readonly dispose: () => Promise<void>
  /** What the server wrote to its log so far. */
  readonly log: () => Promise<string>
  /** Where the server keeps its files; empty for a foreign one. */
  readonly data: string
}

/**
 * Starts a real PostgreSQL from the npm-shipped binaries, on loopback, on a free port, in a data
 * folder of its own, and stops it also when this process dies. `MIFTAH_TEST_POSTGRES_URL` names
 * a server to use instead (a superuser's connection string).
 *
 * @example
 * ```ts
 * const server = await startPostgres()
 * const pool = new pg.Pool({ connectionString: server.url(await server.createDatabase()) })
 * ```
 */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  const foreign = process.env['MIFTAH_TEST_POSTGRES_URL']
  return foreign ? foreignServer(new URL(foreign)) : ownServer(settings)
}

async function ownServer(settings: Readonly<Record<string, string>>): Promise<PostgresServer> {
  const binaries = await postgresBinaries()
  const data = serverFolder('miftah-pg-')
  const cluster = await createCluster(binaries, data)
  return runCluster({ binaries, data, cluster, port: await freePort(), settings })
}

/** What it takes to run one data folder. */
export interface Cluster {
  readonly binaries: string
  readonly data: string
  readonly cluster: string
  readonly port: number
  readonly settings: Readonly<Record<string, string>>
}

/** Runs the server of a data folder that is there already. */
export async function runCluster(from: Cluster): Promise<PostgresServer> {
  let server: KeptServer | null = null
  const url = urlOf('127.0.0.1', from.port, 'postgres')
  const start = async () => {
    if (server?.isRunning()) return
    for (let tries = 1; ; tries += 1) {
      server = keepServer([join(from.binaries, 'bin', 'postgres'), ...argumentsOf(from)], from.data)
      if (await answers(url('postgres'), server)) return
      const log = await logOf(from.data)
      if (tries === 100 || !log.trimEnd().split('\n').slice(-3).some(isHeldByOrphans)) {
        throw new Error(`PostgreSQL did not start: ${log}`)
      }
      await sleep(100)
    }
  }
  const stop = async (mode: StopMode = 'fast') => {
    if (!server?.isRunning()) return
    server.release()
    process.kill(postmasterOf(from.cluster), SIGNALS[mode])
    await server.gone
  }
  await start()
  const running = {
    ...{ host: '127.0.0.1', port: from.port, url, start, stop, data: from.data },
    createDatabase: () => createDatabase(url('postgres')),
    log: () => logOf(from.data),
  }
  return {
    ...running,
    dispose: async () => {
      await stop('immediate')
      await rm(from.data, { recursive: true, force: true })
    },
  }
}

function argumentsOf({ cluster, port, settings }: Cluster): readonly string[] {
  const all = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    // A crash of the server process loses nothing that it handed to the system; only a crash of
    // the machine would, and tests cause none.
    fsync: 'off',
    max_connections: '200',
    shared_buffers: '64MB',
    ...settings,
  }
  return [
    '-D',
    cluster,
    ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
}

function postmasterOf(cluster: string): number {
  const [pid] = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')
  return Number(pid)
}

/** Whether the server answers; false once it has ended or twenty seconds have passed. */
async function answers(url: string, server: KeptServer): Promise<boolean> {
  for (let tries = 0; tries < 1_000 && server.isRunning(); tries += 1) {
    if (await canQuery(url)) return true
    await sleep(20)
  }
  return false
}

/** After a kill, the children of the old server hold its memory until they notice. */
function isHeldByOrphans(line: string): boolean {
  return line.includes('pre-existing shared memory block') || line.includes('Terminate any old')
}

function logOf(data: string): Promise<string> {
  return readFile(join(data, 'server.log'), 'utf8')
}

async function canQuery(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('SELECT 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function foreignServer(given: URL): Promise<PostgresServer> {
  const host = given.hostname
  const port = Number(given.port || 5432)
  const url = (database: string, user?: string) => {
    const changed = new URL(given)
    changed.pathname = `/${database}`
    if (user) Object.assign(changed, { username: user, password: '' })
    return changed.href
  }
  const refuse = async () => {
    throw new Error('a server named by the environment is neither stopped nor started')
  }
  const made: string[] = []
  return {
    ...{ host, port, url, data: '', stop: refuse, start: async () => undefined },
    createDatabase: async () => {
      const name = await createDatabase(given.href)
      made.push(name)
      return name
    },
    log: async () => '',
    dispose: () => dropDatabases(given.href, made),
  }
}

function urlOf(host: string, port: number, superuser: string) {
  return (database: string, user = superuser) => `postgres://${user}@${host}:${port}/${database}`
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

async function runEach(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
