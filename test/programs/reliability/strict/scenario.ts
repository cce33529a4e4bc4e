import { setTimeout as pause } from 'node:timers/promises'
import { type PostgresServer, startPostgres } from '../../../support/postgres-server.ts'
import { openTcpProxy, type TcpProxy } from '../../../support/tcp-proxy.ts'
import { TaskProcess } from '../task-process.ts'
import { type Faults, KINDS, type Kind } from './kinds.ts'
import type { NodeOptions, Tasks, Verdict } from './tasks.ts'

/** A process with keys of its own. */
type NodeProcess = TaskProcess<Tasks>

const WORKER = `import './test/programs/reliability/strict/worker.ts'`

/** What a run has found. */
export interface StrictReport {
  readonly rounds: number
  /** Verdicts asked for at the moment at which a revocation had resolved. */
  readonly checks: number
  readonly outages: number
  /** Revoked keys that were accepted, by the kind of round. */
  readonly staleAccepts: Readonly<Partial<Record<Kind, number>>>
  /** How long each revocation took, in milliseconds, by the kind of round. */
  readonly revocations: Readonly<Partial<Record<Kind, readonly number[]>>>
}

/** How a run is played. */
export interface StrictRun {
  readonly rounds: number
  readonly leaseMs?: number
  /** Whether the processes have the naive cache of the control. */
  readonly isNaive?: boolean
  readonly kinds?: readonly Kind[]
  /** How many servers, each with processes of its own, play rounds at the same time. Default: 1. */
  readonly places?: number
  /** Ends the run after the rounds that are being played. */
  readonly signal?: AbortSignal
}

/** Process 0 revokes, 1 is hit by faults, 2 reaches the server by a proxy. */
const NODES = 4
const BY_PROXY = 2
/** One more, in some rounds, that is told nothing and learns of changes when it renews. */
const WITHOUT_HINTS = 4

/** Plays rounds of one revocation each, with a fault, and asks all processes at the moment it resolves. */
export async function strictRounds({
  rounds,
  leaseMs = 600,
  isNaive = false,
  kinds = KINDS,
  places = 1,
  signal,
}: StrictRun): Promise<StrictReport> {
  const report = { rounds: 0, checks: 0, outages: 0, staleAccepts: {}, revocations: {} } as Mutable
  let begun = 0
  const playRounds = async (place: Place) => {
    while (begun < rounds && signal?.aborted !== true) {
      const kind = kinds[begun % kinds.length] as Kind
      begun += 1
      await playRound(place, kind, report)
      report.rounds += 1
    }
  }
  await Promise.all(Array.from({ length: places }, () => inPlace({ leaseMs, isNaive }, playRounds)))
  return report
}

async function inPlace(
  options: Pick<NodeOptions, 'leaseMs' | 'isNaive'>,
  play: (place: Place) => Promise<void>,
): Promise<void> {
  const server = await startPostgres()
  const place = await openPlace(server, options)
  try {
    await play(place)
  } finally {
    await Promise.all(place.nodes.map((node) => node.kill()))
    await place.proxy.close()
    await server.dispose()
  }
}

interface Mutable extends StrictReport {
  rounds: number
  checks: number
  outages: number
  readonly staleAccepts: Partial<Record<Kind, number>>
  readonly revocations: Partial<Record<Kind, number[]>>
}

interface Place {
  readonly server: PostgresServer
  readonly proxy: TcpProxy
  readonly database: string
  readonly nodes: NodeProcess[]
  readonly start: (at: number) => Promise<NodeProcess>
  readonly leaseMs: number
}

async function openPlace(
  server: PostgresServer,
  { leaseMs, isNaive }: Pick<NodeOptions, 'leaseMs' | 'isNaive'>,
): Promise<Place> {
  const proxy = await openTcpProxy(server.host, server.port)
  const database = await server.createDatabase()
  const direct = server.url(database)
  const byProxy = Object.assign(new URL(direct), { host: `127.0.0.1:${proxy.port}` }).href
  const start = (at: number) =>
    TaskProcess.start<Tasks>(
      WORKER,
      JSON.stringify({
        ...{ url: at === BY_PROXY ? byProxy : direct, listens: at !== WITHOUT_HINTS },
        ...{ leaseMs, isNaive },
      }),
    )
  const nodes = await Promise.all(Array.from({ length: NODES }, (_, at) => start(at)))
  return { server, proxy, database, nodes, start, leaseMs }
}

async function playRound(place: Place, kind: Kind, report: Mutable): Promise<void> {
  const { nodes } = place
  const [revoker] = nodes as [NodeProcess]
  const [key, before] = [await revoker.call('create'), await revoker.call('create')]
  for (const { secret } of [key, before]) {
    await Promise.all(nodes.map((node) => node.call('warm', secret)))
  }
  const faults = faultsOf(place, { key, before })
  const end = await faults[kind]()
  const revoking = revoker.call('revoke', key.id)
  const midway = end.midway?.()
  const tookMs = await revoking
  // At once: what heals a moment later must not hide. Asked first, a stopped process answers as soon as
  // it goes on, before its timers.
  const verdicts = nodes.map((node) => node.call('verdict', key.secret))
  const settled = collect(verdicts, kind, report)
  await midway
  await end.after(verdicts)
  await settled
  report.revocations[kind] ??= []
  report.revocations[kind].push(tookMs)
}

async function collect(
  verdicts: readonly Promise<Verdict>[],
  kind: Kind,
  report: Mutable,
): Promise<void> {
  for (const result of await Promise.allSettled(verdicts)) {
    // A process that was killed answers nothing.
    if (result.status === 'rejected') continue
    report.checks += 1
    if (result.value === 'outage') report.outages += 1
    if (result.value !== 'accepted') continue
    report.staleAccepts[kind] = (report.staleAccepts[kind] ?? 0) + 1
  }
}

interface Keys {
  readonly key: { readonly secret: string }
  readonly before: { readonly id: string }
}

function faultsOf(
  { server, proxy, database, nodes, start, leaseMs }: Place,
  { key, before }: Keys,
): Faults {
  const victim = nodes[1] as NodeProcess
  const [revoker] = nodes as [NodeProcess]
  const nothing = async () => {}
  return {
    clean: async () => ({ after: nothing }),
    'hints lost': async () => {
      const deaf = await start(WITHOUT_HINTS)
      nodes.push(deaf)
      await deaf.call('warm', key.secret)
      return {
        after: async (answers) => {
          nodes.pop()
          await Promise.allSettled(answers)
          await deaf.call('close')
          await deaf.kill()
        },
      }
    },
    stopped: async () => {
      victim.freeze()
      return { after: async () => victim.goOn() }
    },
    'stopped for a moment': async () => ({
      midway: async () => {
        await pause(Math.random() * 10)
        victim.freeze()
        await pause(Math.random() * 1.5 * leaseMs)
        victim.goOn()
      },
      after: nothing,
    }),
    killed: async () => {
      await victim.kill()
      return {
        after: async () => {
          nodes[1] = await start(1)
        },
      }
    },
    'connections cut': async () => {
      await run(
        server,
        database,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      )
      return { after: nothing }
    },
    'black hole': async () => {
      proxy.use({ kind: 'black_hole' })
      return {
        after: async () => {
          proxy.use({ kind: 'pass' })
          proxy.cutAll()
        },
      }
    },
    'server restarted': async () => ({
      midway: async () => {
        await pause(Math.random() * 10)
        await server.stop('immediate')
        await server.start()
      },
      after: nothing,
    }),
    'evicted while stopped': async () => {
      victim.freeze()
      await revoker.call('revoke', before.id)
      return { after: async () => victim.goOn() }
    },
  }
}

async function run(server: PostgresServer, database: string, statement: string): Promise<void> {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: server.url(database) })
  await client.connect()
  await client.query(statement)
  await client.end()
}
