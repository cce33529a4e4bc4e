import { describe, expect, test } from 'vitest'
import { type SqliteDatabase, sqliteStorage } from '../../../adapters/storage/sqlite.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
} from '../../../adapters/storage/testing/storage-contract.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'
import { limited } from '../../support/limited.ts'
import { freshPath, rawAt, storageAt } from '../../support/sqlite-files.ts'
import { holdLock } from '../../support/sqlite-lock-holder.ts'

const FIRST_PAGE = { status: null, environment: null, atMs: 0, after: null, limit: 5_000 }

function insertMany(storage: KeyStorage, count: number) {
  return Array.from({ length: count }, () => {
    const record = sampleRecord()
    return storage.insert(record, null, sampleCreatedEvent(record)).then(() => record)
  })
}

/** Counts the turns of the event loop, and the longest time without one, until the work is over. */
async function turnsUntil(work: Promise<unknown>) {
  let [turns, longestMs, lastMs] = [0, 0, performance.now()]
  const ticking = setInterval(() => {
    turns += 1
    longestMs = Math.max(longestMs, performance.now() - lastMs)
    lastMs = performance.now()
  }, 1)
  await work
  // A turn that was due before the work was over comes now.
  await new Promise((resolve) => setTimeout(resolve, 5))
  clearInterval(ticking)
  return { turns, longestMs }
}

/** A connection of the host that counts how often a change asked for the lock. */
function counting(path: string) {
  const raw = rawAt(path)
  const counted = { attempts: 0 }
  const database: SqliteDatabase = {
    exec: (sql) => raw.exec(sql),
    close: () => raw.close(),
    prepare: (sql) => {
      const statement = raw.prepare(sql)
      if (sql !== 'BEGIN IMMEDIATE') return statement
      return {
        get: () => statement.get(),
        all: () => statement.all(),
        run: () => {
          counted.attempts += 1
          return statement.run()
        },
      }
    },
  }
  return { raw, counted, database }
}

describe('while another process holds the write lock', () => {
  test('thousands of changes wait and expire without stopping the event loop', async () => {
    const path = freshPath()
    const storage = limited(storageAt(path), 1_000)
    await storage.migrate()
    const holder = await holdLock(path)
    const outcomes = Promise.allSettled(insertMany(storage, 3_000))
    const { turns, longestMs } = await turnsUntil(outcomes)
    expect(turns).toBeGreaterThan(1)
    // Far more than a slow machine needs, and far less than 3,000 attempts that wait for the lock.
    expect(longestMs).toBeLessThan(5_000)
    expect(new Set((await outcomes).map(({ status }) => status))).toEqual(new Set(['rejected']))
    await holder.release()
  })

  test('a change that has expired is not tried again, also when the lock is free', async () => {
    const path = freshPath()
    await storageAt(path).migrate()
    const { counted, database } = counting(path)
    const storage = limited(sqliteStorage(database), 300)
    await storage.list('ws_sample', FIRST_PAGE)
    const holder = await holdLock(path)
    const outcomes = await Promise.allSettled(insertMany(storage, 1_000))
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { errcode: 5 } })
    expect(counted.attempts).toBeLessThan(500)
    const { attempts } = counted
    await holder.release()
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(counted.attempts).toBe(attempts)
    expect(await storage.list('ws_sample', FIRST_PAGE)).toMatchObject({ records: [] })
  })

  test('the busy timeout of a host’s own connection does not stop the event loop', async () => {
    const path = freshPath()
    await storageAt(path).migrate()
    const raw = rawAt(path)
    raw.exec('PRAGMA busy_timeout = 60000')
    const storage = limited(sqliteStorage(raw), 500)
    const holder = await holdLock(path)
    const outcomes = Promise.allSettled(insertMany(storage, 3))
    const { turns, longestMs } = await turnsUntil(outcomes)
    expect(turns).toBeGreaterThan(5)
    expect(longestMs).toBeLessThan(30_000)
    await holder.release()
    await Promise.all(insertMany(storage, 1))
    expect(raw.prepare('PRAGMA busy_timeout').get()).toEqual({ timeout: 60_000 })
  })

  test('nor does it for a read that the lock keeps waiting', async () => {
    const path = freshPath()
    const [ours, theirs] = [rawAt(path), rawAt(path)]
    ours.exec('PRAGMA busy_timeout = 60000')
    const storage = limited(sqliteStorage(ours), 300)
    await storage.list('ws', FIRST_PAGE)
    theirs.exec('BEGIN EXCLUSIVE')
    for (const read of [
      () => storage.list('ws', FIRST_PAGE),
      async () => storage.findByHash('0'.repeat(64)),
    ]) {
      const outcome = Promise.allSettled([read()])
      const { turns, longestMs } = await turnsUntil(outcome)
      expect(turns).toBeGreaterThan(5)
      expect(longestMs).toBeLessThan(30_000)
      expect(await outcome).toMatchObject([{ reason: { message: 'database is locked' } }])
    }
    expect(ours.prepare('PRAGMA busy_timeout').get()).toEqual({ timeout: 60_000 })
    theirs.exec('ROLLBACK')
    expect(await storage.list('ws', FIRST_PAGE)).toMatchObject({ records: [] })
  })

  test('changes that wait are made in order once it lets go, with turns in between', async () => {
    const path = freshPath()
    const storage = limited(storageAt(path), 120_000)
    await storage.migrate()
    const holder = await holdLock(path)
    const inserts = insertMany(storage, 1_000)
    let [done, turnsBetween] = [0, 0]
    for (const insert of inserts) void insert.then(() => (done += 1))
    const ticking = setInterval(() => {
      if (done > 0 && done < 1_000) turnsBetween += 1
    }, 1)
    await new Promise((resolve) => setTimeout(resolve, 50))
    await holder.release()
    const records = await Promise.all(inserts).finally(() => clearInterval(ticking))
    expect(turnsBetween).toBeGreaterThan(0)
    const page = await storage.list('ws_sample', FIRST_PAGE)
    expect(page?.records.map(({ id }) => id)).toEqual(records.map(({ id }) => id).toReversed())
  })
})
