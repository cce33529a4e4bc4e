import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { LockQueue } from '../../../adapters/storage/lib/sqlite/lock-queue.ts'
import { setUp } from '../../../adapters/storage/lib/sqlite/session.ts'
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
    const attempt = () => {
      atMs.push(performance.now() - startMs)
      if (atMs.length <= times) throw BUSY
      return 'done'
    }
    const outcome = new LockQueue(patienceMs).run(attempt, startMs).catch((error: unknown) => error)
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
    expect(atMs).toEqual([0, 1, 3, 7])
    expect(outcome).toBe(BUSY)
  })

  test('is done by the first alone, whatever waits behind it', async () => {
    const queue = new LockQueue(1_000)
    const attempts: number[] = []
    let isLocked = true
    const runs = [1, 2, 3].map((name) =>
      queue.run(() => {
        attempts.push(name)
        if (isLocked) throw BUSY
        return name
      }, performance.now()),
    )
    await vi.advanceTimersByTimeAsync(100)
    expect(new Set(attempts)).toEqual(new Set([1]))
    isLocked = false
    await vi.runAllTimersAsync()
    expect(await Promise.all(runs)).toEqual([1, 2, 3])
    expect(attempts.slice(-3)).toEqual([1, 2, 3])
  })

  test('leaves what has expired untried, also when the lock has gone', async () => {
    const queue = new LockQueue(50)
    const done: string[] = []
    const run = (name: string, askedMs: number, isLocked = () => false) =>
      queue
        .run(() => {
          if (isLocked()) throw BUSY
          done.push(name)
        }, askedMs)
        .catch((error: unknown) => error)
    const startMs = performance.now()
    const ends = [
      run('first', startMs, () => performance.now() < startMs + 30),
      run('expired', startMs - 30),
      run('third', startMs),
    ]
    await vi.runAllTimersAsync()
    expect(await Promise.all(ends)).toEqual([undefined, BUSY, undefined])
    expect(done).toEqual(['first', 'third'])
  })

  test('is not what makes work late when the process was busy: that is tried once', async () => {
    const queue = new LockQueue(50)
    let attempts = 0
    const run = (work: () => unknown, askedMs: number) =>
      queue.run(work, askedMs).catch((error: unknown) => error)
    const locked = () => {
      attempts += 1
      throw BUSY
    }
    const longAgoMs = performance.now() - 1_000
    expect(await run(() => 'done', longAgoMs)).toBe('done')
    expect(await run(locked, longAgoMs)).toBe(BUSY)
    expect(await run(locked, longAgoMs)).toBe(BUSY)
    expect(attempts).toBe(1)
    vi.advanceTimersByTime(1)
    expect(await run(() => 'done', performance.now())).toBe('done')
  })

  test('without patience one attempt is made at each call', async () => {
    const queue = new LockQueue(0)
    const run = (work: () => unknown) =>
      queue.run(work, performance.now()).catch((error: unknown) => error)
    const locked = () => {
      throw BUSY
    }
    expect(await run(locked)).toBe(BUSY)
    vi.advanceTimersByTime(1)
    expect(await run(() => 'done')).toBe('done')
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

test('work that waited gives the rest of the process its turns', async () => {
  const queue = new LockQueue(Number.POSITIVE_INFINITY)
  let isLocked = true
  let turns = 0
  const turnsAt: number[] = []
  const runs = [1, 2, 3, 4].map(() =>
    queue.run(() => {
      if (isLocked) throw BUSY
      const endsMs = performance.now() + 15
      while (performance.now() < endsMs);
      turnsAt.push(turns)
    }, performance.now()),
  )
  isLocked = false
  const ticking = setInterval(() => {
    turns += 1
  }, 1)
  await Promise.all(runs).finally(() => clearInterval(ticking))
  expect(new Set(turnsAt).size).toBe(4)
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
  expect(database.prepare('PRAGMA busy_timeout').get()).toEqual({ timeout: 0 })
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
