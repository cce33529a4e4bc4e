import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { LockQueue } from '../../../adapters/storage/lib/sqlite/lock-queue.ts'
import { withinTime } from '../../../src/lib/within-time.ts'

const BUSY = { code: 'SQLITE_BUSY' }

/** The answer of work in the queue within a time, or what it rejects with. */
function ran(queue: LockQueue, work: () => unknown, timeoutMs: number): Promise<unknown> {
  const running = withinTime({ timeoutMs }, (call) => queue.run(work, call))
  return Promise.resolve(running).catch((error: unknown) => error)
}

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
  async function attempts(times: number, timeoutMs: number) {
    const [startMs, atMs] = [performance.now(), [] as number[]]
    const work = () => {
      atMs.push(performance.now() - startMs)
      if (atMs.length <= times) throw BUSY
      return 'done'
    }
    const outcome = ran(new LockQueue(), work, timeoutMs)
    await vi.advanceTimersByTimeAsync(5_000)
    return { atMs, outcome: await outcome }
  }

  test('is longer each time, 25 ms at most, with random jitter', async () => {
    const { atMs, outcome } = await attempts(7, 1_000)
    expect(atMs).toEqual([0, 1, 3, 7, 15, 31, 56, 81])
    expect(outcome).toBe('done')
    // With the jitter: half of the longest, and this clock knows no half milliseconds.
    vi.mocked(Math.random).mockReturnValue(0.5)
    expect((await attempts(5, 1_000)).atMs).toEqual([0, 0, 1, 3, 7, 15])
  })

  test('ends with the time of the call, and not after it', async () => {
    expect(await attempts(99, 15)).toEqual({ atMs: [0, 1, 3, 7], outcome: BUSY })
  })

  test('is done by the first alone, whatever waits behind it, and without a limit goes on', async () => {
    const [queue, tried] = [new LockQueue(), [] as number[]]
    let isLocked = true
    const runs = [1, 2, 3].map((name) =>
      queue.run(() => {
        tried.push(name)
        if (isLocked) throw BUSY
        return name
      }),
    )
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(new Set(tried)).toEqual(new Set([1]))
    isLocked = false
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await Promise.all(runs)).toEqual([1, 2, 3])
    expect(tried.slice(-3)).toEqual([1, 2, 3])
  })

  test('leaves what is out of time untried, also when the lock has gone', async () => {
    const [queue, done] = [new LockQueue(), [] as string[]]
    const startMs = performance.now()
    const work = (name: string, lockedMs: number) => () => {
      if (performance.now() < startMs + lockedMs) throw BUSY
      done.push(name)
    }
    const over = { timeoutMs: 5, signal: AbortSignal.abort(new Error('too late')) }
    const ends = [
      ran(queue, work('first', 30), 50),
      ran(queue, work('out of time', 0), 20),
      ran(queue, work('third', 0), 50),
      queue.run(work('over before it came', 0), over).catch((error: unknown) => error),
    ]
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await Promise.all(ends)).toEqual([undefined, BUSY, undefined, BUSY])
    expect(done).toEqual(['first', 'third'])
  })
})

test('the rest of the process gets a turn between pieces of work that take long, however they come', async () => {
  let [turn, nowMs, isLocked] = [0, 0, true]
  const turnsAt: number[] = []
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  const count = () => {
    turn += 1
    counting = setImmediate(count)
  }
  let counting = setImmediate(count)
  const queue = new LockQueue()
  const run = () =>
    queue.run(() => {
      if (isLocked) throw BUSY
      nowMs += 15
      turnsAt.push(turn)
    })
  const four = () => Promise.all([run(), run(), run(), run()])
  const waited = four()
  isLocked = false
  await waited
  await four()
  for (let times = 0; times < 4; times += 1) await run()
  clearImmediate(counting)
  clock.mockRestore()
  const turnsOf = [0, 4, 8].map((at) => new Set(turnsAt.slice(at, at + 4)).size)
  expect(turnsOf).toEqual([4, 4, 4])
})

test('work whose time other work has taken says that nothing was changed', async () => {
  const [queue, tried] = [new LockQueue(), vi.fn()]
  const busy = () => {
    const endsMs = performance.now() + 60
    while (performance.now() < endsMs);
  }
  const before = [queue.run(busy), queue.run(busy)]
  const late = { name: 'StorageError', code: 'timeout' }
  expect(await ran(queue, tried, 5)).toMatchObject(late)
  await Promise.all(before)
  expect(tried).not.toHaveBeenCalled()
})
