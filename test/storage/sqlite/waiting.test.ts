import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { LockQueue } from '../../../adapters/storage/lib/sqlite/lock-queue.ts'
import { setUp } from '../../../adapters/storage/lib/sqlite/session.ts'
import { sqliteStorage } from '../../../adapters/storage/sqlite.ts'
import { sampleRevokeChange } from '../../../adapters/storage/testing/storage-contract.ts'
import { withinTime } from '../../../src/lib/within-time.ts'
import { inserted } from '../../support/inserted.ts'
import { limited } from '../../support/limited.ts'
import { freshPath, rawAt, storageAt } from '../../support/sqlite-files.ts'

const FIRST_PAGE = { status: null, environment: null, atMs: 0, after: null, limit: 5 }
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

  /** A queue whose work has so many milliseconds. */
  function queueFor(timeoutMs: number) {
    const queue = new LockQueue()
    return (work: () => unknown) =>
      Promise.resolve(withinTime({ timeoutMs }, (call) => queue.run(work, call))).catch(
        (error: unknown) => error,
      )
  }

  /** When each attempt was made, of work that meets a locked database `times` times. */
  async function attempts(times: number, timeoutMs: number) {
    const startMs = performance.now()
    const atMs: number[] = []
    const outcome = queueFor(timeoutMs)(() => {
      atMs.push(performance.now() - startMs)
      if (atMs.length <= times) throw BUSY
      return 'done'
    })
    await vi.advanceTimersByTimeAsync(5_000)
    return { atMs, outcome: await outcome }
  }

  test('is longer each time, and 25 ms at most', async () => {
    const { atMs, outcome } = await attempts(7, 1_000)
    expect(atMs).toEqual([0, 1, 3, 7, 15, 31, 56, 81])
    expect(outcome).toBe('done')
  })

  test('has random jitter', async () => {
    vi.mocked(Math.random).mockReturnValue(0.5)
    // Half of the longest; this clock knows no half milliseconds.
    expect((await attempts(5, 1_000)).atMs).toEqual([0, 0, 1, 3, 7, 15])
  })

  test('ends with the time of the call, and not after it', async () => {
    const { atMs, outcome } = await attempts(99, 15)
    expect(atMs).toEqual([0, 1, 3, 7])
    expect(outcome).toBe(BUSY)
  })

  test('is done by the first alone, whatever waits behind it', async () => {
    const run = queueFor(1_000)
    const attempts: number[] = []
    let isLocked = true
    const runs = [1, 2, 3].map((name) =>
      run(() => {
        attempts.push(name)
        if (isLocked) throw BUSY
        return name
      }),
    )
    await vi.advanceTimersByTimeAsync(100)
    expect(new Set(attempts)).toEqual(new Set([1]))
    isLocked = false
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await Promise.all(runs)).toEqual([1, 2, 3])
    expect(attempts.slice(-3)).toEqual([1, 2, 3])
  })

  test('leaves what is out of time untried, also when the lock has gone', async () => {
    const queue = new LockQueue()
    const done: string[] = []
    const run = async (name: string, timeoutMs: number, isLocked = () => false) => {
      const work = () => {
        if (isLocked()) throw BUSY
        done.push(name)
      }
      try {
        return await withinTime({ timeoutMs }, (call) => queue.run(work, call))
      } catch (error) {
        return error
      }
    }
    const startMs = performance.now()
    const ends = [
      run('first', 50, () => performance.now() < startMs + 30),
      run('out of time', 20),
      run('third', 50),
    ]
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await Promise.all(ends)).toEqual([undefined, BUSY, undefined])
    expect(done).toEqual(['first', 'third'])
  })

  test('ends at once for a call that was over before it came, and runs nothing', async () => {
    const queue = new LockQueue()
    let isLocked = true
    const first = queue.run(() => {
      if (isLocked) throw BUSY
    })
    const done: string[] = []
    const signal = AbortSignal.abort(new Error('too late'))
    const late = queue.run(() => done.push('late'), { timeoutMs: 5, signal })
    expect(await late.catch((error: unknown) => error)).toBe(BUSY)
    isLocked = false
    await vi.advanceTimersByTimeAsync(5_000)
    await first
    expect(done).toEqual([])
  })

  test('without a limit goes on until the lock is gone', async () => {
    let isLocked = true
    const outcome = new LockQueue().run(() => {
      if (isLocked) throw BUSY
      return 'done'
    })
    await vi.advanceTimersByTimeAsync(3_600_000)
    isLocked = false
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await outcome).toBe('done')
  })

  test('changes that wait one after the other have the time since their call', async () => {
    const path = freshPath()
    const storage = limited(storageAt(path), 100)
    const record = await inserted(storage)
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
    await vi.advanceTimersByTimeAsync(5_000)
    for (const end of await Promise.all(ends)) expect(end).toBeLessThan(200)
  })
})

describe('the rest of the process gets its turns', () => {
  /** In how many turns of the event loop pieces of work ran, of 15 ms each by a clock of the test's own. */
  async function turnsOf(begin: (work: () => void) => Promise<unknown>, isLocked = () => false) {
    let [turn, nowMs] = [0, 0]
    const turnsAt: number[] = []
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
    const count = () => {
      turn += 1
      counting = setImmediate(count)
    }
    let counting = setImmediate(count)
    const work = () => {
      if (isLocked()) throw BUSY
      nowMs += 15
      turnsAt.push(turn)
    }
    await begin(work).finally(() => {
      clearImmediate(counting)
      clock.mockRestore()
    })
    return new Set(turnsAt).size
  }
  const FOUR = [1, 2, 3, 4]

  test('between pieces of work that waited for a lock', async () => {
    const queue = new LockQueue()
    let isLocked = true
    const turns = turnsOf(
      (work) => Promise.all(FOUR.map(() => queue.run(work))),
      () => isLocked,
    )
    isLocked = false
    expect(await turns).toBe(4)
  })

  test('between pieces of work that find the database free, begun at once', async () => {
    const queue = new LockQueue()
    expect(await turnsOf((work) => Promise.all(FOUR.map(() => queue.run(work))))).toBe(4)
  })

  test('between pieces of work that find the database free, begun one after the other', async () => {
    const queue = new LockQueue()
    const oneByOne = async (work: () => void) => {
      for (const _ of FOUR) await queue.run(work)
    }
    expect(await turnsOf(oneByOne)).toBe(4)
  })
})

test('work whose time other work has taken says that nothing was changed', async () => {
  const queue = new LockQueue()
  let isTried = false
  const busy = () => {
    const endsMs = performance.now() + 60
    while (performance.now() < endsMs);
  }
  const before = [queue.run(busy), queue.run(busy)]
  const late = withinTime({ timeoutMs: 5 }, (call) =>
    queue.run(() => {
      isTried = true
    }, call),
  )
  await expect(late).rejects.toMatchObject({ name: 'StorageError', code: 'timeout' })
  await Promise.all(before)
  expect(isTried).toBe(false)
})

test('a schema that is there is found without a lock', async () => {
  const path = freshPath()
  await storageAt(path).migrate()
  const raw = rawAt(path)
  raw.exec('BEGIN IMMEDIATE')
  const storage = limited(storageAt(path), 5_000)
  expect(await storage.list('ws', FIRST_PAGE)).toMatchObject({ records: [] })
})

test('macOS syncs to the disk too', () => {
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
