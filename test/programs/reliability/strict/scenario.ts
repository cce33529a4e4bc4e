import { setTimeout as pause } from 'node:timers/promises'
import { type PostgresServer, runEach, startPostgres } from '../../../support/postgres-server.ts'
import { openTcpProxy, type TcpProxy } from '../../../support/tcp-proxy.ts'
import { TaskProcess } from '../task-process.ts'
import type { NodeOptions, NodeTasks } from './node.ts'

/** A process with keys of its own. */
export type NodeProcess = TaskProcess<NodeTasks>

const WORKER = `import './test/programs/reliability/strict/node.ts'`

export const startNode = (options: NodeOptions): Promise<NodeProcess> =>
  TaskProcess.start<NodeTasks>(WORKER, JSON.stringify(options))

/** Process 0 revokes, 1 is hit by faults, 2 reaches the server by a proxy. */
const NODES = 4
const BY_PROXY = 2
/** Another node, in some rounds, that gets no hints and learns of changes when it renews. */
const WITHOUT_HINTS = 4

interface Place {
  readonly server: PostgresServer
  readonly proxy: TcpProxy
  readonly database: string
  readonly nodes: NodeProcess[]
  readonly start: (at: number) => Promise<NodeProcess>
  readonly leaseMs: number
  /** A key that every process has in memory and that is not the one of the round. */
  readonly other: { readonly id: string }
  /** The secret of the round. */
  readonly secret: string
}

/** What a fault does after it has begun. */
interface Fault {
  /** While the revocation is under way. */
  readonly midway?: () => Promise<void>
  /** Once all processes were asked; their answers may still be on the way. */
  readonly after?: (answers: readonly Promise<unknown>[]) => Promise<void>
}

const stopped = (nodes: readonly NodeProcess[]): Fault => {
  nodes[1]?.freeze()
  return { after: async () => nodes[1]?.goOn() }
}

/** Begins what goes wrong in a round. */
const FAULTS = {
  clean: async () => ({}),
  'hints lost': async ({ nodes, start, secret }) => {
    const deaf = await start(WITHOUT_HINTS)
    nodes.push(deaf)
    await deaf.call('warm', secret)
    return {
      after: async (answers) => {
        nodes.pop()
        await Promise.allSettled(answers)
        await deaf.call('close')
        await deaf.kill()
      },
    }
  },
  stopped: async ({ nodes }) => stopped(nodes),
  'stopped for a moment': async ({ nodes, leaseMs }) => ({
    midway: async () => {
      await pause(Math.random() * 10)
      nodes[1]?.freeze()
      await pause(Math.random() * 1.5 * leaseMs)
      nodes[1]?.goOn()
    },
  }),
  killed: async ({ nodes, start }) => {
    await nodes[1]?.kill()
    return {
      after: async () => {
        nodes[1] = await start(1)
      },
    }
  },
  'connections cut': async ({ server, database }) => {
    const others = 'datname = current_database() AND pid <> pg_backend_pid()'
    const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${others}`
    await runEach(server.url(database), [cut])
    return {}
  },
  'black hole': async ({ proxy }) => {
    proxy.use('black_hole')
    return {
      after: async () => {
        proxy.use('pass')
        proxy.cutAll()
      },
    }
  },
  'server restarted': async ({ server }) => ({
    midway: async () => {
      await pause(Math.random() * 10)
      await server.stop('immediate')
      await server.start()
    },
  }),
  'evicted while stopped': async ({ nodes, other }) => {
    const fault = stopped(nodes)
    await nodes[0]?.call('revoke', other.id)
    return fault
  },
} as const satisfies Readonly<Record<string, (place: Place) => Promise<Fault>>>

export type Kind = keyof typeof FAULTS
export const KINDS = Object.keys(FAULTS) as readonly Kind[]

/** What a run has found. */
export interface StrictReport {
  rounds: number
  /** Verdicts asked for at the moment at which a revocation had resolved. */
  checks: number
  outages: number
  /** Revoked keys that were accepted, by the kind of round. */
  readonly staleAccepts: Partial<Record<Kind, number>>
  /** The longest revocation of each kind, in milliseconds. */
  readonly worstMs: Partial<Record<Kind, number>>
}

/** How a run is played. */
interface StrictRun {
  readonly rounds: number
  /** Whether the processes have the naive cache of the control. */
  readonly isNaive?: boolean
  readonly kinds?: readonly Kind[]
}

/** Plays rounds of one revocation each, with a fault, and asks all processes at the moment it resolves. */
export async function strictRounds({
  rounds,
  isNaive = false,
  kinds = KINDS,
}: StrictRun): Promise<StrictReport> {
  const report: StrictReport = { rounds, checks: 0, outages: 0, staleAccepts: {}, worstMs: {} }
  const leaseMs = 600
  const server = await startPostgres()
  const proxy = await openTcpProxy(server.host, server.port)
  const database = await server.createDatabase()
  const direct = server.url(database)
  const byProxy = Object.assign(new URL(direct), { host: `127.0.0.1:${proxy.port}` }).href
  const start = (at: number) => {
    const url = at === BY_PROXY ? byProxy : direct
    return startNode({ url, listens: at !== WITHOUT_HINTS, leaseMs, isNaive })
  }
  const nodes = await Promise.all(Array.from({ length: NODES }, (_, at) => start(at)))
  try {
    for (let round = 0; round < rounds; round += 1) {
      const kind = kinds[round % kinds.length] as Kind
      await playRound({ server, proxy, database, nodes, start, leaseMs }, kind, report)
    }
    return report
  } finally {
    await Promise.all(nodes.map((node) => node.kill()))
    await proxy.close()
    await server.dispose()
  }
}

async function playRound(
  place: Omit<Place, 'other' | 'secret'>,
  kind: Kind,
  report: StrictReport,
): Promise<void> {
  const { nodes } = place
  const [revoker] = nodes as [NodeProcess]
  const [key, other] = [await revoker.call('create'), await revoker.call('create')]
  for (const { secret } of [key, other]) {
    await Promise.all(nodes.map((node) => node.call('warm', secret)))
  }
  const fault: Fault = await FAULTS[kind]({ ...place, other, secret: key.secret })
  const revoking = revoker.call('revoke', key.id)
  const midway = fault.midway?.()
  const tookMs = await revoking
  // At once: what heals a moment later must not hide. Asked first, a stopped process answers as soon as
  // it goes on, before its timers.
  const verdicts = nodes.map((node) => node.call('verdict', key.secret))
  const settled = Promise.allSettled(verdicts)
  await midway
  await fault.after?.(verdicts)
  for (const result of await settled) {
    // A process that was killed answers nothing.
    if (result.status === 'rejected') continue
    report.checks += 1
    if (result.value === 'outage') report.outages += 1
    if (result.value !== 'accepted') continue
    report.staleAccepts[kind] = (report.staleAccepts[kind] ?? 0) + 1
  }
  report.worstMs[kind] = Math.max(report.worstMs[kind] ?? 0, Math.round(tookMs))
}
