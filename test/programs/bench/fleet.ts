import { startPostgres } from '../../support/postgres-server.ts'
import { TaskProcess } from '../reliability/task-process.ts'
import type { FleetOptions, FleetTasks } from './fleet-process.ts'
import { type Bench, figure, quantile, type Table } from './measure.ts'

const WORKER = `import './test/programs/bench/fleet-process.ts'`
const PROCESSES = 4
const LEASE_MS = 5_000

export type Fleet = readonly [TaskProcess<FleetTasks>, ...TaskProcess<FleetTasks>[]]

/** Runs something on four processes with so many caches in all, on a PostgreSQL of their own. */
export async function withFleet<T>(caches: number, use: (fleet: Fleet) => Promise<T>): Promise<T> {
  const server = await startPostgres({ shared_buffers: '512MB' })
  const url = server.url(await server.createDatabase())
  const options: FleetOptions = { url, caches: caches / PROCESSES, leaseMs: LEASE_MS }
  const fleet: TaskProcess<FleetTasks>[] = []
  try {
    while (fleet.length < PROCESSES) {
      fleet.push(await TaskProcess.start<FleetTasks>(WORKER, JSON.stringify(options)))
    }
    return await use(fleet as unknown as Fleet)
  } finally {
    await Promise.all(fleet.map((one) => one.kill()))
    await server.dispose()
  }
}

/** How many caches accept these secrets, asked at once: a moment later most mistakes have healed. */
export async function acceptedBy(fleet: Fleet, secrets: readonly string[]): Promise<number> {
  const counts = await Promise.all(fleet.map((one) => one.call('accepted', secrets)))
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Revocations with many caches over four processes, and with one of the processes stopped. */
export async function section({ short, log }: Bench): Promise<readonly Table[]> {
  const sizes = short ? [4, 40] : [4, 100, 300, 1_000]
  const shown: Shown[] = []
  for (const caches of sizes) {
    log(`${caches} caches`)
    const rounds = short ? 5 : Math.min(50, 20_000 / caches)
    shown.push(await withFleet(caches, (fleet) => show(fleet, caches, rounds)))
  }
  return [
    {
      title: `revokeKey with caches over ${PROCESSES} processes, lease ${figure(LEASE_MS)} ms`,
      head: ['caches', 'p50, ms', 'p99', 'with one process stopped', 'revocations', 'stale'],
      rows: shown.map(({ caches, clean, stopped, stale }) => {
        const times = [quantile(clean, 0.5), quantile(clean, 0.99), stopped]
        return [caches, ...times, clean.length + 1, stale].map(figure)
      }),
    },
  ]
}

/** What one size of a fleet has shown. */
interface Shown {
  readonly caches: number
  readonly clean: readonly number[]
  readonly stopped: number
  readonly stale: number
}

async function show(fleet: Fleet, caches: number, rounds: number): Promise<Shown> {
  const clean: number[] = []
  let stale = 0
  const revoke = async () => {
    const { id, secret } = await warmKey(fleet)
    clean.push(await fleet[0].call('revoke', [id]))
    stale += await acceptedBy(fleet, [secret])
  }
  while (clean.length < rounds) await revoke()
  const { id, secret } = await warmKey(fleet)
  const last = fleet.at(-1)
  last?.freeze()
  const stopped = await fleet[0].call('revoke', [id])
  const answers = acceptedBy(fleet, [secret])
  last?.goOn()
  stale += await answers
  return { caches, clean, stopped, stale }
}

/** A key that every cache has in memory. */
async function warmKey(fleet: Fleet) {
  const [key] = await fleet[0].call('create', 1)
  if (key === undefined) throw new Error('no key was made')
  await Promise.all(fleet.map((one) => one.call('warm', [key.secret])))
  return key
}
