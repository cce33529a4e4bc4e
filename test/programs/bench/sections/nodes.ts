import { setTimeout as pause } from 'node:timers/promises'
import { TaskProcess } from '../../reliability/task-process.ts'
import { type Bench, type SectionResult, target } from '../measure/result.ts'
import { figure } from '../measure/text.ts'
import type { FleetOptions, FleetTasks } from '../nodes/fleet.ts'
import { countingServer, Database, statementCounter } from './postgres-world.ts'

const WORKER = `import './test/programs/bench/nodes/worker.ts'`
const PROCESSES = 4
const LEASE_MS = 5_000

type Fleet = readonly TaskProcess<FleetTasks>[]

/** What one size of a fleet has shown. */
interface Shown {
  readonly caches: number
  readonly statementsPerSecond: number
  readonly clean: readonly number[]
  readonly stopped: number
  readonly checks: number
  readonly stale: number
}

/** Many caches over four processes on one PostgreSQL: those of a process share its pool. */
export async function section({ short, log }: Bench): Promise<SectionResult> {
  const shown: Shown[] = []
  for (const caches of short ? [4, 40] : [4, 100, 300, 1_000]) {
    log(`${caches} caches`)
    const one = await showFleet(caches, short ? 5 : Math.min(50, 20_000 / caches))
    log(rowOf(one).join(' '))
    shown.push(one)
  }
  const stale = shown.reduce((sum, one) => sum + one.stale, 0)
  const [last] = shown.slice(-1) as [Shown]
  return {
    tables: [
      {
        title: `Caches over ${PROCESSES} processes, lease ${figure(LEASE_MS)} ms`,
        head: [
          ...['caches', 'statements/s when idle', 'revocation p50, ms', 'p99'],
          ...['with one process stopped', 'verdicts', 'stale'],
        ],
        rows: shown.map(rowOf),
      },
    ],
    targets: [
      target('revoked keys accepted', 'at most', { limit: 0, value: stale }),
      target(`revocation with ${last.caches} caches, p50, ms`, 'at most', {
        ...{ limit: 300, value: at(last.clean, 0.5) },
      }),
      target(`revocation with ${last.caches} caches, p99, ms`, 'at most', {
        ...{ limit: 600, value: at(last.clean, 0.99) },
      }),
      target('revocation with one process stopped, ms', 'at most', {
        ...{ limit: LEASE_MS + 600, value: last.stopped },
      }),
    ],
  }
}

function rowOf({ caches, statementsPerSecond, clean, stopped, checks, stale }: Shown) {
  const times = [at(clean, 0.5), at(clean, 0.99), stopped].map(figure)
  return [figure(caches), figure(statementsPerSecond), ...times, String(checks), String(stale)]
}

async function showFleet(caches: number, revocations: number): Promise<Shown> {
  const server = await countingServer()
  const url = server.url(await server.createDatabase())
  const database = new Database(url)
  const options: FleetOptions = { url, caches: caches / PROCESSES, leaseMs: LEASE_MS }
  const fleet: TaskProcess<FleetTasks>[] = []
  try {
    while (fleet.length < PROCESSES) {
      fleet.push(await TaskProcess.start<FleetTasks>(WORKER, JSON.stringify(options)))
    }
    const statementsPerSecond = await whenIdle(fleet, database)
    const rounds = await revokeAndAsk(fleet, revocations)
    const stopped = await revokeWithOneStopped(fleet)
    return {
      caches,
      statementsPerSecond,
      ...rounds,
      ...stopped,
      stale: rounds.stale + stopped.stale,
    }
  } finally {
    await Promise.all(fleet.map((one) => one.kill()))
    await database.close()
    await server.dispose()
  }
}

async function whenIdle(fleet: Fleet, database: Database): Promise<number> {
  const count = await statementCounter(database.pool())
  await warmKey(fleet)
  // The sweeps of the beginning are over after two leases.
  await pause(2.5 * LEASE_MS)
  const before = await count()
  await pause(2 * LEASE_MS)
  return ((await count()) - before) / (2 * (LEASE_MS / 1_000))
}

async function revokeAndAsk(fleet: Fleet, revocations: number) {
  const clean: number[] = []
  let [checks, stale] = [0, 0]
  for (let round = 0; round < revocations; round += 1) {
    const { id, secret } = await warmKey(fleet)
    clean.push(await first(fleet).call('revoke', id))
    // At once: a moment later most mistakes have healed.
    const accepted = await Promise.all(fleet.map((one) => one.call('accepted', secret)))
    stale += sum(accepted)
    checks += 1
  }
  return { clean, checks, stale }
}

async function revokeWithOneStopped(fleet: Fleet) {
  const { id, secret } = await warmKey(fleet)
  const last = fleet.at(-1)
  last?.freeze()
  const stopped = await first(fleet).call('revoke', id)
  const answers = Promise.all(fleet.map((one) => one.call('accepted', secret)))
  last?.goOn()
  return { stopped, stale: sum(await answers) }
}

/** A key that every cache has in memory. */
async function warmKey(fleet: Fleet) {
  const key = await first(fleet).call('create')
  await Promise.all(fleet.map((one) => one.call('warm', key.secret)))
  return key
}

function first(fleet: Fleet): TaskProcess<FleetTasks> {
  return fleet[0] as TaskProcess<FleetTasks>
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

function at(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * share)] ?? Number.NaN
}
