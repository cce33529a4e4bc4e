import { describe, expect, test, vi } from 'vitest'
import { memoryStorage } from '../../adapters/storage/memory.ts'
import { postgresStorage } from '../../adapters/storage/postgres.ts'
import {
  sampleEvent,
  sampleInsertion,
  sampleRecord,
} from '../../adapters/storage/testing/samples.ts'
import type { KeyStorage } from '../../src/storage/index.ts'
import { databaseForFile } from '../support/postgres/own-database.ts'
import { freshPath, rawAt, storageAt } from '../support/sqlite-files.ts'
import { until } from '../support/world.ts'

const HOUR_MS = 3_600_000

const db = databaseForFile()

let schemas = 0
const freshSchema = () => `lease_${++schemas}`

async function insertOne(storage: KeyStorage) {
  const record = sampleRecord()
  const event = sampleEvent(record)
  await storage.write([{ ...sampleInsertion(record), events: [event] }])
  return event
}

/** Runs with the clock of this process moved, as in a process on another machine. */
async function withClock<T>(aheadMs: number, work: () => Promise<T>): Promise<T> {
  const now = Date.now
  const moved = vi.spyOn(Date, 'now').mockImplementation(() => now() + aheadMs)
  try {
    return await work()
  } finally {
    moved.mockRestore()
  }
}

function claim(storage: KeyStorage, relay: string, leaseMs: number) {
  return storage.claimEvents({ relay, leaseMs, limit: 5, except: [] })
}

const STORAGES: Readonly<Record<string, () => KeyStorage>> = {
  memory: () => memoryStorage(),
  SQLite: () => storageAt(freshPath()),
  PostgreSQL: () => postgresStorage(db.pool, { schema: freshSchema() }),
}

describe.each(Object.entries(STORAGES))('the lease on %s', (_, open) => {
  test('a process whose clock is ahead takes no lease from another', async () => {
    const storage = open()
    const event = await insertOne(storage)
    expect(await claim(storage, 'a', HOUR_MS / 2)).toEqual([event])
    expect(await withClock(HOUR_MS, () => claim(storage, 'b', 1_000))).toEqual([])
  })

  test('a process whose clock is ahead keeps it no longer than its lease', async () => {
    const storage = open()
    await insertOne(storage)
    expect(await withClock(HOUR_MS, () => claim(storage, 'a', 50))).toHaveLength(1)
    let taken = 0
    const poll = setInterval(async () => {
      taken ||= (await claim(storage, 'b', HOUR_MS)).length
    }, 20)
    await until(() => taken === 1).finally(() => clearInterval(poll))
  })
})

/** How the rows of a relay are reached by hand. */
const BY_HAND: Readonly<Record<string, () => readonly [KeyStorage, (sql: string) => unknown]>> = {
  SQLite: () => {
    const path = freshPath()
    return [storageAt(path), (sql) => rawAt(path).exec(sql)]
  },
  PostgreSQL: () => {
    const schema = freshSchema()
    const run = (sql: string) => db.pool.query(sql.replace('miftah_', `${schema}.miftah_`))
    return [postgresStorage(db.pool, { schema }), run]
  },
}

test.each(Object.entries(BY_HAND))(
  'a lease from before the clock of the database was set back ends on %s',
  async (_, open) => {
    const [storage, run] = open()
    await insertOne(storage)
    await claim(storage, 'a', 60_000)
    const later = (ms: number) =>
      run(`UPDATE miftah_relay SET leased_until_ms = leased_until_ms + ${ms}`)
    await later(50_000)
    expect(await claim(storage, 'b', 60_000)).toEqual([])
    await later(HOUR_MS)
    expect(await claim(storage, 'b', 60_000)).toHaveLength(1)
  },
)
