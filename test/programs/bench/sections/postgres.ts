import {
  type Bench,
  type SectionResult,
  type Table,
  type Target,
  target,
} from '../measure/result.ts'
import { type Measurement, measure, type Plan } from '../measure/rounds.ts'
import { spreadText } from '../measure/text.ts'
import { betterAuth, type Peer } from '../peers.ts'
import { concurrentContender } from './concurrent.ts'
import type { Counted } from './contenders.ts'
import { storedUses, Texts } from './keys.ts'
import {
  countingServer,
  Database,
  fillDatabase,
  type PostgresWorld,
  statementCounter,
} from './postgres-world.ts'

const KEYS = 1_000
const CALLERS = [1, 16, 64]
const MIFTAH = 'miftah'
const ONE = 'one prepared SELECT by hash'
const MANY = 'hand-written coalescing'
const BETTER_AUTH = '@better-auth/api-key'
const NAMES = [ONE, MANY, MIFTAH, BETTER_AUTH]

/** A peer, its secrets and the pool through which it can be watched. */
interface Rival {
  readonly peer: Peer
  readonly secrets: Texts
}

/** Concurrent checks on a real PostgreSQL, and how many statements each side needs for one. */
export async function section({ short, log }: Bench): Promise<SectionResult> {
  const plan: Plan = short
    ? { rounds: 7, sliceMs: 100, warmUpMs: 800 }
    : { rounds: 21, sliceMs: 400, warmUpMs: 3_000 }
  const server = await countingServer()
  const database = new Database(server.url(await server.createDatabase()))
  try {
    const world = await fillDatabase(database, { size: KEYS, real: KEYS })
    const rival = await openRival(database)
    const measured = new Map<number, Measurement>()
    const counts = new Map<number, ReadonlyMap<string, number>>()
    for (const callers of CALLERS) {
      log(`${callers} at once`)
      const contenders = contendersFor(world, rival, callers)
      measured.set(callers, await measure(contenders, plan))
      counts.set(callers, await countStatements(world, contenders))
    }
    await checkState(world, rival)
    return report(measured, counts)
  } finally {
    await database.close()
    await server.dispose()
  }
}

async function openRival(database: Database): Promise<Rival> {
  const peer = await betterAuth(database.pool())
  const secrets = new Texts(KEYS)
  for (let n = 0; n < KEYS; n += 1) secrets.set(n, await peer.create())
  return { peer, secrets }
}

const totals = new Map<string, Counted[]>()

function contendersFor(world: PostgresWorld, rival: Rival, callers: number): readonly Counted[] {
  const { headers, check } = world
  const contenders = [
    concurrentContender(ONE, { inputs: headers, check: check.one, callers }),
    concurrentContender(MANY, { inputs: headers, check: check.many, callers }),
    concurrentContender(MIFTAH, { inputs: headers, check: check.miftah, callers }),
    concurrentContender(BETTER_AUTH, {
      inputs: rival.secrets,
      check: (secret) => rival.peer.verify(secret),
      callers,
    }),
  ]
  for (const contender of contenders) {
    totals.set(contender.name, [...(totals.get(contender.name) ?? []), contender])
  }
  return contenders
}

/** Statements for one check, the writing of the uses included. */
async function countStatements(
  world: PostgresWorld,
  contenders: readonly Counted[],
): Promise<ReadonlyMap<string, number>> {
  const flushAll = () => Promise.all([world.keys.flush(), world.one.flush(), world.many.flush()])
  const statements = await statementCounter(world.pool)
  const counted = new Map<string, number>()
  for (const contender of contenders) {
    await flushAll()
    const before = await statements()
    const count = 2_000
    await contender.prepare(count)
    await contender.run()
    if (contender.name === MIFTAH) await world.keys.flush()
    counted.set(contender.name, ((await statements()) - before) / count)
  }
  return counted
}

async function checkState(world: PostgresWorld, rival: Rival): Promise<void> {
  const sum = (name: string) => (totals.get(name) ?? []).reduce((all, { total }) => all + total, 0)
  const uses = await storedUses(world.keys, KEYS)
  if (uses !== sum(MIFTAH)) throw new Error(`miftah: ${sum(MIFTAH)} accepted, ${uses} stored`)
  const floors = (await world.one.stored()) + (await world.many.stored())
  if (floors !== sum(ONE) + sum(MANY)) throw new Error(`floors: ${floors} uses stored`)
  const { keys, used } = await rival.peer.stored()
  if (keys !== KEYS || used < KEYS / 2) throw new Error(`better-auth: ${used} of ${keys} used`)
}

function report(
  measured: ReadonlyMap<number, Measurement>,
  counts: ReadonlyMap<number, ReadonlyMap<string, number>>,
): SectionResult {
  return {
    tables: [ratesTable(measured), ratiosTable(measured), statementsTable(counts)],
    targets: targetsOf(measured, counts),
    charts: [
      {
        file: 'benchmark-postgres.svg',
        title: 'Authentications a second on PostgreSQL, by callers at once',
        unit: 'per second',
        groups: [...measured].map(([callers, measurement]) => ({
          label: `${callers} at once`,
          bars: NAMES.map((name) => ({ name, value: measurement.rate(name).median })),
        })),
      },
    ],
  }
}

const head = (first: string) => [first, ...CALLERS.map((callers) => `${callers} at once`)]

function ratesTable(measured: ReadonlyMap<number, Measurement>): Table {
  return {
    title: 'PostgreSQL, 1,000 keys: authentications a second',
    head: head(''),
    rows: NAMES.map((name) => [
      name,
      ...[...measured.values()].map((measurement) => spreadText(measurement.rate(name))),
    ]),
  }
}

function ratiosTable(measured: ReadonlyMap<number, Measurement>): Table {
  return {
    title: 'PostgreSQL: the speed of miftah as a multiple of each other',
    head: head(''),
    rows: NAMES.filter((name) => name !== MIFTAH).map((name) => [
      name,
      ...[...measured.values()].map((measurement) => spreadText(measurement.ratio(name, MIFTAH))),
    ]),
  }
}

function statementsTable(counts: ReadonlyMap<number, ReadonlyMap<string, number>>): Table {
  return {
    title: 'PostgreSQL: statements for one authentication, counted by the server',
    head: head(''),
    rows: NAMES.map((name) => [
      name,
      ...[...counts.values()].map((count) => (count.get(name) ?? Number.NaN).toFixed(3)),
    ]),
    note: 'By pg_stat_statements over 2,000 authentications; for miftah the write of the uses is in it.',
  }
}

function targetsOf(
  measured: ReadonlyMap<number, Measurement>,
  counts: ReadonlyMap<number, ReadonlyMap<string, number>>,
): readonly Target[] {
  const speed = (callers: number, name: string) =>
    measured.get(callers)?.ratio(name, MIFTAH).median ?? Number.NaN
  return [
    target('PostgreSQL, 64 at once, times @better-auth/api-key', 'at least', {
      limit: 60,
      value: speed(64, BETTER_AUTH),
      shown: speed(64, BETTER_AUTH).toFixed(0),
    }),
    target('PostgreSQL, 64 at once, times hand-written coalescing', 'at least', {
      limit: 1.1,
      value: speed(64, MANY),
    }),
    target('PostgreSQL, 64 at once, statements for one authentication', 'at most', {
      limit: 0.1,
      value: counts.get(64)?.get(MIFTAH) ?? Number.NaN,
      shown: counts.get(64)?.get(MIFTAH)?.toFixed(3) ?? '',
    }),
    target('PostgreSQL, one at a time, times one prepared SELECT', 'at least', {
      limit: 0.95,
      value: speed(1, ONE),
    }),
  ]
}
