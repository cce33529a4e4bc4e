import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresStorage } from 'miftah/postgres'
import { sqliteStorage } from 'miftah/sqlite'
import { type PostgresServer, startPostgres } from '../../../support/postgres-server.ts'
import { type Bench, type SectionResult, type Table, target } from '../measure/result.ts'
import { type Spread, spread } from '../measure/stats.ts'
import { figure, spreadText, timeText } from '../measure/text.ts'
import { OPERATIONS, type World } from './growth-operations.ts'
import { analyseSqlite, fillPostgres, fillSqlite } from './growth-worlds.ts'
import { apiKeys } from './keys.ts'
import { Database } from './postgres-world.ts'

/** Nanoseconds of one operation, a figure for each round, by the size of the world. */
type Times = ReadonlyMap<number, readonly number[]>

/** What was found, and what it is called. */
interface Finding {
  readonly title: string
  readonly operations: ReadonlyMap<string, Times>
}

/** What each operation costs as one workspace grows, with and without the database's statistics. */
export async function section({ short, log }: Bench): Promise<SectionResult> {
  const sizes = short ? [1_000, 30_000] : [1_000, 10_000, 100_000, 1_000_000]
  const rounds = short ? 21 : 61
  const measured = async (title: string, worlds: readonly World[]): Promise<Finding> => {
    log(title)
    return { title, operations: await measureAll(worlds, rounds) }
  }
  const findings = [...(await onPostgres(sizes, measured)), ...(await onSqlite(sizes, measured))]
  return {
    tables: findings.map((finding) => tableOf(finding, sizes)),
    targets: findings.map((finding) => targetOf(finding, sizes)),
  }
}

type Measured = (title: string, worlds: readonly World[]) => Promise<Finding>

async function onPostgres(sizes: readonly number[], measured: Measured): Promise<Finding[]> {
  // Without autovacuum there are no statistics until they are asked for.
  const server = await startPostgres({ autovacuum: 'off', shared_buffers: '512MB' })
  try {
    const databases = []
    for (const size of sizes) databases.push(await postgresOf(server, size))
    const worlds = databases.map(({ world }) => world)
    const findings = [await measured('PostgreSQL without statistics', worlds)]
    for (const { database } of databases) await database.pool().query('ANALYZE')
    findings.push(await measured('PostgreSQL with statistics', worlds))
    for (const { world } of databases) await world.keys.close()
    await Promise.all(databases.map(({ database }) => database.close()))
    return findings
  } finally {
    await server.dispose()
  }
}

async function postgresOf(server: PostgresServer, size: number) {
  const database = new Database(server.url(await server.createDatabase()))
  const storage = postgresStorage(database.pool())
  await storage.migrate()
  await fillPostgres(database.pool(), size)
  return { database, world: { size, storage, keys: apiKeys(storage) } }
}

async function onSqlite(sizes: readonly number[], measured: Measured): Promise<Finding[]> {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-growth-'))
  const pathOf = (size: number) => join(folder, `${size}.db`)
  try {
    for (const size of sizes) {
      const filling = sqliteStorage(pathOf(size))
      await filling.migrate()
      await filling.close()
      fillSqlite(pathOf(size), size)
    }
    const worlds = () => sizes.map((size) => sqliteOf(pathOf(size), size))
    const findings = [await measured('SQLite without statistics', worlds())]
    for (const size of sizes) analyseSqlite(pathOf(size))
    return [...findings, await measured('SQLite with statistics', worlds())]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function sqliteOf(path: string, size: number): World {
  const storage = sqliteStorage(path)
  return { size, storage, keys: apiKeys(storage) }
}

/** The sizes take turns, so that a noisy moment hits all alike. */
async function measureAll(worlds: readonly World[], rounds: number) {
  const operations = new Map<string, Times>()
  for (const [name, prepare] of Object.entries(OPERATIONS)) {
    const times = new Map(worlds.map(({ size }) => [size, [] as number[]]))
    for (let round = -3; round < rounds; round += 1) {
      for (const world of worlds) {
        const run = await prepare(world)
        const start = process.hrtime.bigint()
        await run()
        const ns = Number(process.hrtime.bigint() - start)
        // The first rounds warm up.
        if (round >= 0) times.get(world.size)?.push(ns)
      }
    }
    operations.set(name, times)
  }
  return operations
}

function ratioOf(times: Times, size: number, to: number): Spread {
  const base = times.get(to) ?? []
  return spread((times.get(size) ?? []).map((ns, round) => ns / (base[round] ?? Number.NaN)))
}

function tableOf({ title, operations }: Finding, sizes: readonly number[]): Table {
  const [small = 0, ...larger] = sizes
  return {
    title: `${title}: one workspace, as it grows`,
    head: ['', `${figure(small)} keys`, ...larger.map((size) => `${figure(size)}, times that`)],
    rows: [...operations].map(([name, times]) => [
      name,
      timeText(spread(times.get(small) ?? [])),
      ...larger.map((size) => spreadText(ratioOf(times, size, small))),
    ]),
  }
}

function targetOf({ title, operations }: Finding, sizes: readonly number[]) {
  const [small = 0, large = 0] = [sizes[0], sizes.at(-1)]
  const ratios = [...operations].map(([name, times]) => {
    return { name, ratio: ratioOf(times, large, small).median }
  })
  const [most] = ratios.toSorted((a, b) => b.ratio - a.ratio)
  const measure = `${title}, any operation, ${figure(large)} keys, times ${figure(small)}`
  const value = most?.ratio ?? Number.NaN
  return target(measure, 'at most', {
    limit: 1.5,
    value,
    shown: `${value.toFixed(2)} (${most?.name})`,
  })
}
