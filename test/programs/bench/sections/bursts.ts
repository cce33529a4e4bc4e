import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { sqliteStorage } from 'miftah/sqlite'
import { TaskProcess } from '../../reliability/task-process.ts'
import { type Bench, type SectionResult, target } from '../measure/result.ts'
import { spread } from '../measure/stats.ts'
import { figure, spreadText } from '../measure/text.ts'
import type { FleetOptions, FleetTasks } from '../nodes/fleet.ts'
import { apiKeys, SCOPE } from './keys.ts'
import { countingServer } from './postgres-world.ts'

const WORKER = `import './test/programs/bench/nodes/worker.ts'`
const PROCESSES = 4
const REVOCATIONS = 500
const CREATIONS = 1_000

/** Changes that come all at once: revocations with caches beside them, creations on SQLite. */
export async function section({ short, log }: Bench): Promise<SectionResult> {
  const rounds = short ? 2 : 11
  log('revocations')
  const revoked = await revocations(rounds)
  log('creations')
  const created = await creations(rounds)
  return {
    tables: [
      {
        title: `${REVOCATIONS} revocations at once, ${PROCESSES} processes with the cache on PostgreSQL`,
        head: ['called in', 'revocations a second'],
        rows: [
          ['one process', spreadText(spread(revoked.oneProcess))],
          ['every process', spreadText(spread(revoked.everyProcess))],
        ],
      },
      {
        title: `SQLite file: ${figure(CREATIONS)} creations`,
        head: ['', 'creations a second', 'longest turn of the event loop, ms'],
        rows: [
          ['one after the other', ...textsOf(created.inTurn)],
          ['at once', ...textsOf(created.atOnce)],
        ],
      },
    ],
    targets: [
      target(`revocations a second, ${REVOCATIONS} at once with four caches`, 'at least', {
        ...{ limit: 1_500, value: spread(revoked.oneProcess).median },
      }),
      target('SQLite, creations at once, times one after the other', 'at least', {
        ...{ limit: 5, value: ratio(created.atOnce.perSecond, created.inTurn.perSecond) },
      }),
      target('SQLite, longest turn during creations at once, ms', 'at most', {
        ...{ limit: 20, value: spread(created.atOnce.turnsMs).median },
      }),
    ],
  }
}

async function revocations(rounds: number) {
  const server = await countingServer()
  const options: FleetOptions = {
    ...{ url: server.url(await server.createDatabase()), caches: 1, leaseMs: 5_000 },
  }
  const fleet: TaskProcess<FleetTasks>[] = []
  try {
    while (fleet.length < PROCESSES) {
      fleet.push(await TaskProcess.start<FleetTasks>(WORKER, JSON.stringify(options)))
    }
    const perSecond: { oneProcess: number[]; everyProcess: number[] } = {
      ...{ oneProcess: [], everyProcess: [] },
    }
    for (let round = 0; round < rounds; round += 1) {
      perSecond.oneProcess.push(await revokedPerSecond(fleet, fleet.slice(0, 1)))
      perSecond.everyProcess.push(await revokedPerSecond(fleet, fleet))
    }
    return perSecond
  } finally {
    await Promise.all(fleet.map((one) => one.kill()))
    await server.dispose()
  }
}

/** The keys are in every cache before they are revoked, and in none after. */
async function revokedPerSecond(
  fleet: readonly TaskProcess<FleetTasks>[],
  callers: readonly TaskProcess<FleetTasks>[],
): Promise<number> {
  const each = REVOCATIONS / callers.length
  const made = await Promise.all(callers.map((one) => one.call('createMany', each)))
  const secrets = made.flat().map(({ secret }) => secret)
  await Promise.all(fleet.map((one) => one.call('warmMany', secrets)))
  const begun = performance.now()
  await Promise.all(
    callers.map((one, at) => one.call('revokeMany', made[at]?.map(({ id }) => id) ?? [])),
  )
  const seconds = (performance.now() - begun) / 1e3
  const accepted = await Promise.all(fleet.map((one) => one.call('acceptedMany', secrets)))
  if (accepted.some((count) => count > 0)) throw new Error('a revoked key was accepted')
  return REVOCATIONS / seconds
}

/** One value for each round. */
interface Creations {
  readonly perSecond: number[]
  readonly turnsMs: number[]
}

async function creations(rounds: number) {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-bench-'))
  const keys = apiKeys(sqliteStorage(join(folder, 'keys.db')))
  const create = (n: number) =>
    keys.createKey({
      ...{ workspaceId: `ws_${n % 100}`, creator: { id: 'u_1', name: 'نورة' }, name: 'k' },
      ...{ environment: 'live' as const, scopes: [SCOPE] },
    })
  const numbers = Array.from({ length: CREATIONS }, (_, n) => n)
  const ways = {
    inTurn: async () => {
      for (const n of numbers) await create(n)
    },
    atOnce: async () => {
      await Promise.all(numbers.map(create))
    },
  }
  const found: { readonly inTurn: Creations; readonly atOnce: Creations } = {
    inTurn: { perSecond: [], turnsMs: [] },
    atOnce: { perSecond: [], turnsMs: [] },
  }
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const way of ['inTurn', 'atOnce'] as const) {
        const turns = monitorEventLoopDelay({ resolution: 1 })
        turns.enable()
        const begun = performance.now()
        await ways[way]()
        found[way].perSecond.push(CREATIONS / ((performance.now() - begun) / 1e3))
        turns.disable()
        found[way].turnsMs.push(turns.max / 1e6)
      }
    }
    return found
  } finally {
    await keys.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function textsOf({ perSecond, turnsMs }: Creations): readonly string[] {
  return [perSecond, turnsMs].map((values) => spreadText(spread(values)))
}

function ratio(some: readonly number[], others: readonly number[]): number {
  return spread(some.map((value, round) => value / (others[round] ?? Number.NaN))).median
}
