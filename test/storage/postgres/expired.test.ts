import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { ServerClock } from '../../../adapters/storage/lib/postgres/server-clock.ts'
import { type PostgresPool, postgresStorage } from '../../../adapters/storage/postgres.ts'
import {
  sampleRotateChange,
  sampleUpdateChange,
} from '../../../adapters/storage/testing/samples.ts'
import type { KeyRecord, KeyStorage } from '../../../src/storage/index.ts'
import { inserted } from '../../support/inserted.ts'
import { databaseForFile } from '../../support/postgres/own-database.ts'
import { settled } from '../../support/world.ts'

const db = databaseForFile()
const END_MS = Date.UTC(2026, 5, 1)
const HOUR_MS = 3_600_000
/** How long a change waits at least, and when its key expires meanwhile. */
const WAIT_MS = 50
const SOON_MS = 20

beforeAll(() => postgresStorage(db.pool).migrate())
afterEach(() => void vi.restoreAllMocks())

/** A storage that has had an answer, and a key in it. */
async function storageWithKey(pool: PostgresPool) {
  const storage = postgresStorage(pool)
  const record = await inserted(storage, { expiresAtMs: END_MS })
  return { storage, record }
}

const CHANGES = {
  update: (storage: KeyStorage, record: KeyRecord, updatedAtMs: number) =>
    storage.update({ ...sampleUpdateChange(record), updatedAtMs }),
  rotate: (storage: KeyStorage, record: KeyRecord, rotatedAtMs: number) =>
    storage.rotate({ ...sampleRotateChange(record), rotatedAtMs }),
}

describe.each(Object.entries(CHANGES))('%s of a key that expires meanwhile', (_, change) => {
  test('waits for a connection', async () => {
    const pool = db.openPool({ max: 1 })
    const { storage, record } = await storageWithKey(pool)
    const client = await pool.connect()
    const call = change(storage, record, END_MS - SOON_MS)
    await settled(WAIT_MS)
    client.release()
    expect(await call).toMatchObject({ outcome: 'expired', record: { version: 1 } })
  })

  test('waits in a pooler, where neither side measures the time', async () => {
    let isSlow = false
    const pooler: PostgresPool = {
      query: async (text, values) => {
        if (isSlow) await settled(WAIT_MS)
        return db.pool.query(text, values)
      },
    }
    const { storage, record } = await storageWithKey(pooler)
    isSlow = true
    const outcome = await change(storage, record, END_MS - SOON_MS)
    expect(outcome).toMatchObject({ outcome: 'expired', record: { version: 1 } })
  })

  test('waits for a lock, also as the first call of a process', async () => {
    const { record } = await storageWithKey(db.pool)
    const client = await db.pool.connect()
    await client.query('BEGIN; LOCK TABLE miftah.workspaces IN EXCLUSIVE MODE')
    const call = change(postgresStorage(db.openPool()), record, END_MS - SOON_MS)
    await settled(WAIT_MS)
    await client.query('ROLLBACK')
    client.release()
    expect(await call).toMatchObject({ outcome: 'expired', record: { version: 1 } })
  })
})

describe('a process that was suspended for an hour', () => {
  /** A pool, and how many changes of keys it has sent. */
  function counting() {
    const sent = { changes: 0 }
    const query: PostgresPool['query'] = (text, values) => {
      if (/update_key|rotate_key/.test(text)) sent.changes += 1
      return db.pool.query(text, values)
    }
    return { sent, pool: { query } }
  }

  test.each(Object.entries(CHANGES))('%s: has not waited for that long', async (_, change) => {
    const { sent, pool } = counting()
    const { storage, record } = await storageWithKey(pool)
    const now = performance.now.bind(performance)
    // The clock of the process stood still, that of the server did not.
    vi.spyOn(performance, 'now').mockImplementation(() => now() - HOUR_MS)
    const outcome = await change(storage, record, END_MS - HOUR_MS / 2)
    expect(outcome.outcome).not.toBe('expired')
    expect(sent.changes).toBe(2)
  })

  test('a change that is not refused is sent once', async () => {
    const { sent, pool } = counting()
    const { storage, record } = await storageWithKey(pool)
    expect(await CHANGES.update(storage, record, END_MS - HOUR_MS)).toMatchObject({
      outcome: 'updated',
    })
    expect(sent.changes).toBe(1)
  })
})

describe('the clock of the server', () => {
  test('is the instant in front of the last answer', () => {
    let nowMs = 100
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
    const clock = new ServerClock()
    const timeOfCall = clock.startCall()
    expect(timeOfCall()).toEqual({ waitedMs: 0 })
    nowMs = 150
    expect(clock.read('5000 {"outcome" : "updated"}')).toBe('{"outcome" : "updated"}')
    expect(timeOfCall()).toEqual({ waitedMs: 50, calledAtMs: 4_950 })
    nowMs = 200
    expect(clock.read('4000 \n1')).toBe('\n1')
    expect(timeOfCall()).toEqual({ waitedMs: 100, calledAtMs: 3_900 })
  })

  test.each([[null], ['null'], [''], ['{"a" : 5000 }'], ['5000']])(
    'is not in the answer %j, which stays as it is',
    (answer) => {
      const clock = new ServerClock()
      expect(clock.read(answer)).toBe(answer)
      expect(clock.startCall()()).not.toHaveProperty('calledAtMs')
    },
  )
})
