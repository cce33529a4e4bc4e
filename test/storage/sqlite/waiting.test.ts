import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { setUp } from '../../../adapters/storage/lib/sqlite/session.ts'
import { whenFree } from '../../../adapters/storage/lib/sqlite/transaction.ts'
import { sqliteStorage } from '../../../adapters/storage/sqlite.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
} from '../../../adapters/storage/testing/storage-contract.ts'
import { freshPath, rawAt, storageAt } from '../../support/sqlite-files.ts'

const FIRST_PAGE = { status: null, environment: null, after: null, limit: 5 }
const BUSY = { code: 'SQLITE_BUSY' }

describe('waiting for a locked database', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    // The longest pause there is.
    vi.spyOn(Math, 'random').mockReturnValue(1)
  })
  afterEach(() => {
    vi.restoreAllMocks()
    vi.useRealTimers()
  })

  /** When each attempt was made, of work that meets a locked database `times` times. */
  async function attempts(times: number, patienceMs: number) {
    const startMs = performance.now()
    const atMs: number[] = []
    const outcome = whenFree(() => {
      atMs.push(performance.now() - startMs)
      if (atMs.length <= times) throw BUSY
      return 'done'
    }, patienceMs).catch((error: unknown) => error)
    await vi.runAllTimersAsync()
    return { atMs, outcome: await outcome }
  }

  test('is longer each time, and 25 ms at most', async () => {
    const { atMs, outcome } = await attempts(7, 1_000)
    expect(atMs).toEqual([0, 1, 3, 7, 15, 31, 56, 81])
    expect(outcome).toBe('done')
  })

  test('is partly left to chance', async () => {
    vi.mocked(Math.random).mockReturnValue(0.5)
    // Half of the longest; this clock knows no half milliseconds.
    expect((await attempts(5, 1_000)).atMs).toEqual([0, 0, 1, 3, 7, 15])
  })

  test('ends with the patience, and not after it', async () => {
    const { atMs, outcome } = await attempts(99, 15)
    expect(atMs).toEqual([0, 1, 3, 7, 15])
    expect(outcome).toBe(BUSY)
  })

  test('changes that wait one after the other have the time since they were asked for', async () => {
    const path = freshPath()
    const storage = storageAt(path, { busyTimeoutMs: 100 })
    const record = sampleRecord()
    await storage.insert(record, null, sampleCreatedEvent(record))
    const raw = rawAt(path)
    raw.exec('BEGIN IMMEDIATE')
    const startMs = performance.now()
    const ends = [1, 2, 3].map(() =>
      storage.revoke(sampleRevokeChange(record)).then(
        () => 'revoked',
        () => performance.now() - startMs,
      ),
    )
    await vi.advanceTimersByTimeAsync(500)
    raw.exec('ROLLBACK')
    await vi.runAllTimersAsync()
    for (const end of await Promise.all(ends)) expect(end).toBeLessThan(200)
  })
})

test('a schema that is there is found without a lock', async () => {
  const path = freshPath()
  await storageAt(path).migrate()
  const raw = rawAt(path)
  raw.exec('BEGIN IMMEDIATE')
  const storage = storageAt(path, { busyTimeoutMs: 0 })
  expect(await storage.list('ws', FIRST_PAGE)).toMatchObject({ records: [] })
})

test('what reaches the disk is asked of macOS too', () => {
  const database = rawAt(freshPath())
  setUp(database)
  expect(database.prepare('PRAGMA fullfsync').get()).toEqual({ fullfsync: 1 })
  expect(database.prepare('PRAGMA busy_timeout').get()).toEqual({ timeout: 5 })
})

test('a storage that is closed while it opens stays closed', async () => {
  const database = rawAt(freshPath())
  const storage = sqliteStorage(database)
  const listing = storage.list('ws', FIRST_PAGE)
  await storage.close()
  expect(await listing).toMatchObject({ records: [] })
  const found = Promise.resolve(storage.findByHash('0'.repeat(64)))
  await expect(found).rejects.toMatchObject({ code: 'closed' })
})

test('a busyTimeoutMs that is no time is named', () => {
  const message = 'busyTimeoutMs: a number of milliseconds'
  expect(() => sqliteStorage('keys.db', { busyTimeoutMs: -1 })).toThrow(new TypeError(message))
})
