import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import type { ApiKeys } from 'miftah'
import { sqliteStorage } from 'miftah/sqlite'
import { SqliteFloor } from '../floors/sqlite-floor.ts'
import { type Bench, type SectionResult, type Table, target } from '../measure/result.ts'
import { type Contender, measure, type Plan } from '../measure/rounds.ts'
import { spread } from '../measure/stats.ts'
import { figure, timeTable, timeText } from '../measure/text.ts'
import { miftahContender, peerContender } from './contenders.ts'
import { apiKeys, issueKeys, SCOPE, type Texts } from './keys.ts'

const FLUSHES = [1, 100, 1_000, 10_000]
const nameOf = (size: number) => `miftah, ${figure(size)} keys`
const floorOf = (size: number) => `one prepared SELECT, ${figure(size)} keys`

/** Look-ups in a SQLite file, and what it costs to write the uses down. */
export async function section({ short, log }: Bench): Promise<SectionResult> {
  const plan: Plan = short
    ? { rounds: 9, sliceMs: 30, warmUpMs: 500 }
    : { rounds: 31, sliceMs: 80, warmUpMs: 2_000 }
  const sizes = short ? [1_000, 10_000] : [1_000, 100_000]
  const folder = mkdtempSync(join(tmpdir(), 'miftah-bench-'))
  try {
    const contenders: Contender[] = []
    let largest: Filled | null = null
    for (const size of sizes) {
      log(`${size} keys`)
      largest = await fill(join(folder, `${size}.db`), size)
      contenders.push(...contendersFor(largest, size))
    }
    const measurement = await measure(contenders, plan)
    const [small = 0, large = 0] = [sizes[0], sizes.at(-1)]
    return {
      tables: [
        ...sizes.map((size) =>
          timeTable(`SQLite file, ${figure(size)} keys`, measurement, [
            floorOf(size),
            nameOf(size),
          ]),
        ),
        ...(largest === null ? [] : [await flushTable(largest, short ? 5 : 21)]),
      ],
      targets: [
        target(`SQLite, ${nameOf(large)}, times ${nameOf(small)}`, 'at most', {
          limit: 1.5,
          value: measurement.ratio(nameOf(large), nameOf(small)).median,
        }),
      ],
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Filled {
  readonly keys: ApiKeys
  readonly headers: Texts
  readonly floor: SqliteFloor
}

/** Filled without waiting for the disk, then opened as a host opens it. */
async function fill(path: string, size: number): Promise<Filled> {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF')
  const filling = apiKeys(sqliteStorage(database))
  const headers = (await issueKeys(filling, size)).headers()
  await filling.close()
  database.close()
  return { keys: apiKeys(sqliteStorage(path)), headers, floor: new SqliteFloor(path) }
}

function contendersFor({ keys, headers, floor }: Filled, size: number): readonly Contender[] {
  return [
    peerContender(floorOf(size), headers, (header) => floor.authenticate(header, SCOPE)),
    miftahContender(nameOf(size), { keys, headers }),
  ]
}

/** What one flush takes by the number of keys that were used since the one before. */
async function flushTable({ keys, headers }: Filled, rounds: number): Promise<Table> {
  const rows = []
  for (const used of FLUSHES.filter((count) => count <= headers.count)) {
    const times: number[] = []
    for (let round = 0; round < rounds; round += 1) times.push(await flushTime(keys, headers, used))
    const time = spread(times)
    rows.push([figure(used), timeText(time), figure(time.median / used / 1e3)])
  }
  return {
    title: 'SQLite: one flush, in one transaction that reaches the disk',
    head: ['keys used', 'one flush', 'µs for each key'],
    rows,
  }
}

/** Nanoseconds. */
async function flushTime(keys: ApiKeys, headers: Texts, used: number): Promise<number> {
  await keys.flush()
  const first = Math.floor(Math.random() * (headers.count - used + 1))
  for (let n = first; n < first + used; n += 1) await keys.authenticate(headers.get(n), SCOPE)
  const start = process.hrtime.bigint()
  await keys.flush()
  return Number(process.hrtime.bigint() - start)
}
