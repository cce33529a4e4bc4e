import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import { relayEvents } from '../../../src/events/index.ts'
import { type ApiKeys, createApiKeys, plans } from '../../../src/index.ts'
import { openPool } from '../../support/postgres-database.ts'
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts'
import { startWorker } from '../reliability/worker-process.ts'
import { Oracle } from './oracle.ts'

const MODULE = fileURLToPath(new URL('../reliability/postgres-module.ts', import.meta.url))
const WORKSPACES = 6
/** What the process may hold in the end, however long it has run. */
const MOST_BYTES = 150_000_000

/** How a soak went. It was passed if nothing is in `failures`. */
export interface SoakReport {
  readonly figures: Readonly<Record<string, number>>
  readonly failures: readonly string[]
}

/**
 * Mixed load on PostgreSQL for some time, while the server is restarted and other processes are
 * killed in the middle of their changes. In the end everything has to be as an oracle knows it.
 */
export async function soak(ms: number): Promise<SoakReport> {
  const server = await startPostgres()
  const pool = openPool({
    connectionString: server.url(await server.createDatabase()),
    connectionTimeoutMillis: 1_000,
  })
  const storage = postgresStorage(pool)
  const keys = createApiKeys({ storage, entitlements: () => plans.enterprise, onEvent: () => {} })
  const delivered = new Map<string, Set<string>>()
  const relay = relayEvents({
    ...{ storage, pollMs: 50, leaseMs: 2_000 },
    deliver: ({ workspaceId, id }) => {
      const ids = delivered.get(workspaceId) ?? new Set()
      delivered.set(workspaceId, ids.add(id))
    },
  })
  try {
    await storage.migrate()
    const endsMs = performance.now() + ms
    const oracles = Array.from({ length: WORKSPACES }, (_, at) => new Oracle(keys, `ws_${at}`))
    const target = pool.options.connectionString ?? ''
    const [restarts, kills] = await Promise.all([
      restarting(server, endsMs, ms),
      killing(target, endsMs),
      ...oracles.map((oracle) => working(oracle, endsMs)),
    ])
    const lagMs = await drained(pool)
    await keys.flush()
    for (const oracle of oracles) await oracle.check()
    const failures = oracles.flatMap((oracle) => oracle.failures)
    for (const { workspaceId } of [...oracles, { workspaceId: KILLED }]) {
      failures.push(...(await deliveryFailures(keys, workspaceId, delivered)))
    }
    const heapUsed = liveHeapBytes()
    if (heapUsed > MOST_BYTES) failures.push(`the heap has ${heapUsed} bytes`)
    const sum = (name: keyof Oracle['counts']) =>
      oracles.reduce((total, { counts }) => total + counts[name], 0)
    const figures = {
      ...{ restarts, kills, changes: sum('changes'), authentications: sum('authentications') },
      ...{ outages: sum('outages'), lagMs, heapMb: Math.round(heapUsed / 1e6) },
      ...(await leftOver(pool)),
    }
    const processes = kills + 1
    if (figures.writers > processes) {
      failures.push(`${figures.writers} writers of ${processes} processes`)
    }
    return { figures, failures }
  } finally {
    await relay.stop()
    await keys.close().catch(() => undefined)
    await pool.end()
    await server.dispose()
  }
}

/** What the heap holds after a collection, garbage left out. */
function liveHeapBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

/** The workspace of the processes that are killed. */
const KILLED = 'ws_killed'

async function working(oracle: Oracle, endsMs: number): Promise<number> {
  while (performance.now() < endsMs) await oracle.step()
  return 0
}

/** Restarts the server, in an orderly way and by a crash in turn, at least once. */
async function restarting(server: PostgresServer, endsMs: number, ms: number): Promise<number> {
  let restarts = 0
  while (performance.now() + ms / 4 < endsMs) {
    await pause(Math.min(ms / 4, 30_000))
    if (server.isForeign) continue
    await server.stop(restarts % 2 === 0 ? 'fast' : 'kill')
    await server.start()
    restarts += 1
  }
  return restarts
}

/** Has other processes change keys, and kills each of them in the middle of it. */
async function killing(target: string, endsMs: number): Promise<number> {
  let kills = 0
  while (performance.now() < endsMs) {
    const worker = await startWorker(MODULE, target)
    const work = worker.call('mix', { workspaceId: KILLED, limit: 50, ms: 60_000 })
    const over = work.catch(() => undefined)
    await pause(Math.min(1_000 + Math.random() * 2_000, Math.max(0, endsMs - performance.now())))
    await worker.kill()
    await over
    kills += 1
  }
  return kills
}

/** Waits until every event is delivered; milliseconds. */
async function drained(pool: ReturnType<typeof openPool>): Promise<number> {
  const startMs = performance.now()
  for (;;) {
    const { rows } = await pool.query('SELECT count(*)::int AS left FROM miftah.outbox')
    if (rows[0].left === 0) return Math.round(performance.now() - startMs)
    if (performance.now() - startMs > 60_000) throw new Error(`${rows[0].left} events are left`)
    await pause(20)
  }
}

/** Each event has to be delivered, for the first time in the order of its workspace. */
async function deliveryFailures(
  keys: ApiKeys,
  workspaceId: string,
  delivered: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<readonly string[]> {
  const stored: string[] = []
  for (let cursor: string | null = null; ; ) {
    const page = await keys.listEvents({ workspaceId, cursor, limit: 200 })
    if (page.events.length === 0) break
    stored.push(...page.events.map(({ id }) => id))
    cursor = page.nextCursor
  }
  const received = [...(delivered.get(workspaceId) ?? [])]
  const isSame = stored.length === received.length && stored.every((id, at) => id === received[at])
  return isSame ? [] : [`${workspaceId}: ${stored.length} events, ${received.length} delivered`]
}

async function leftOver(pool: ReturnType<typeof openPool>) {
  const { rows } = await pool.query(`SELECT
    (SELECT count(*)::int FROM miftah.outbox) AS undelivered,
    (SELECT count(*)::int FROM miftah.writers) AS writers,
    (SELECT count(*)::int FROM miftah.keys) AS keys,
    (SELECT count(*)::int FROM miftah.events) AS events`)
  return rows[0] as Record<'undelivered' | 'writers' | 'keys' | 'events', number>
}
