import { setTimeout as pause } from 'node:timers/promises'
import { type ApiKeys, createApiKeys, plans } from 'miftah'
import { postgresStorage } from 'miftah/postgres'
import { type Bench, type SectionResult, target } from '../measure/result.ts'
import { type Spread, spread } from '../measure/stats.ts'
import { figure, spreadText } from '../measure/text.ts'
import { SCOPE, type Texts } from './keys.ts'
import { countingServer, Database, fillDatabase, statementCounter } from './postgres-world.ts'

const PER_SECOND = 5_000

/** The first seconds of a process whose keys are all in use: with an empty cache, and with a warm one. */
export async function section({ short, log }: Bench): Promise<SectionResult> {
  const { size, seconds, rounds } = short
    ? { size: 2_000, seconds: 2, rounds: 1 }
    : { size: 100_000, seconds: 10, rounds: 3 }
  const server = await countingServer()
  const database = new Database(server.url(await server.createDatabase()))
  try {
    log(`${figure(size)} keys`)
    const { headers, keys } = await fillDatabase(database, { size, real: size })
    await touchAll(keys, headers)
    await keys.close()
    const count = await statementCounter(database.pool())
    const shown: { cold: Shown[]; warm: Shown[] } = { cold: [], warm: [] }
    for (let round = 0; round < rounds; round += 1) {
      for (const start of ['cold', 'warm'] as const) {
        log(start)
        const cache = start === 'warm' ? { warm: size, maxKeys: size } : { maxKeys: size }
        shown[start].push(await firstSeconds(database, { headers, seconds, cache, count }))
      }
    }
    const [cold, warm] = [summary(shown.cold), summary(shown.warm)]
    return {
      tables: [
        {
          title: `The first ${seconds} seconds at ${figure(PER_SECOND)} requests a second, ${figure(size)} keys in use`,
          head: [
            'cache',
            'ready after, ms',
            'statements to be ready',
            'then',
            'p50, ms',
            'p99, ms',
          ],
          rows: Object.entries({ cold, warm }).map(([start, one]) => [
            start,
            ...[one.readyMs, one.before, one.after, one.p50, one.p99].map((value) =>
              spreadText(value),
            ),
          ]),
        },
      ],
      targets: [
        target('statements after a warm start, times after a cold one', 'at most', {
          ...{ limit: 0.1, value: warm.after.median / cold.after.median },
        }),
      ],
    }
  } finally {
    await database.close()
    await server.dispose()
  }
}

interface Shown {
  readonly readyMs: number
  /** Statements until the process is ready, and during its first seconds. */
  readonly before: number
  readonly after: number
  readonly p50: number
  readonly p99: number
}

async function touchAll(keys: ApiKeys, headers: Texts): Promise<void> {
  for (let from = 0; from < headers.count; from += 500) {
    const some = Array.from({ length: Math.min(500, headers.count - from) }, (_, n) => from + n)
    await Promise.all(some.map((n) => keys.authenticate(headers.get(n), SCOPE)))
  }
  await keys.flush()
}

async function firstSeconds(
  database: Database,
  given: {
    readonly headers: Texts
    readonly seconds: number
    readonly cache: { readonly warm?: number; readonly maxKeys: number }
    readonly count: () => Promise<number>
  },
): Promise<Shown> {
  const start = await given.count()
  const begun = performance.now()
  const keys = createApiKeys({
    storage: postgresStorage(database.pool()),
    ...{ entitlements: () => plans.enterprise, cache: given.cache },
  })
  await keys.ready()
  const readyMs = performance.now() - begun
  const ready = await given.count()
  const times = await offeredLoad(keys, given)
  const after = (await given.count()) - ready
  await keys.close()
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN
  return { readyMs, before: ready - start, after, p50: at(0.5), p99: at(0.99) }
}

/** Requests that come whether or not the last ones were answered; their times from when they were due. */
async function offeredLoad(
  keys: ApiKeys,
  { headers, seconds }: { readonly headers: Texts; readonly seconds: number },
): Promise<readonly number[]> {
  const times: number[] = []
  const waiting: Promise<void>[] = []
  const begun = performance.now()
  const request = async (dueMs: number) => {
    const header = headers.get(Math.floor(Math.random() * headers.count))
    const { ok } = await keys.authenticate(header, SCOPE)
    if (!ok) throw new Error('a valid key was refused')
    times.push(performance.now() - dueMs)
  }
  while (waiting.length < PER_SECOND * seconds) {
    const due = Math.min(
      Math.floor(((performance.now() - begun) / 1e3) * PER_SECOND),
      PER_SECOND * seconds,
    )
    while (waiting.length < due) waiting.push(request(begun + (waiting.length / PER_SECOND) * 1e3))
    await pause(1)
  }
  await Promise.all(waiting)
  return times
}

function summary(shown: readonly Shown[]): { readonly [K in keyof Shown]: Spread } {
  const of = (name: keyof Shown) => spread(shown.map((one) => one[name]))
  return {
    ...{ readyMs: of('readyMs'), before: of('before'), after: of('after') },
    ...{ p50: of('p50'), p99: of('p99') },
  }
}
