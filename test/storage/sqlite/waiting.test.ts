import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { LockQueue } from '../../../adapters/storage/lib/sqlite/lock-queue.ts'
import { withinTime } from '../../../src/lib/within-time.ts'

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
  async function attempts(times: number, timeoutMs: number) {
    const [queue, startMs, atMs] = [new LockQueue(), performance.now(), [] as number[]]
    const work = () => {
      atMs.push(performance.now() - startMs)
      if (atMs.length <= times) throw BUSY
      return 'done'
    }
    const outcome = Promise.resolve(
      withinTime({ timeoutMs }, (call) => queue.run(work, call)),
    ).catch((error: unknown) => error)
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
    const { atMs, outcome } = await attempts(99, 15)
    expect(atMs).toEqual([0, 1, 3, 7])
    expect(outcome).toBe(BUSY)
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
    const late = { timeoutMs: 5, signal: AbortSignal.abort(new Error('too late')) }
    const ends = [
      run('first', 50, () => performance.now() < startMs + 30),
      run('out of time', 20),
      run('third', 50),
      queue.run(() => done.push('over before it came'), late).catch((error: unknown) => error),
    ]
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await Promise.all(ends)).toEqual([undefined, BUSY, undefined, BUSY])
    expect(done).toEqual(['first', 'third'])
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

  test('between pieces of work, whether they wait, begin at once or one after another', async () => {
    const queue = new LockQueue()
    let isLocked = true
    const atOnce = (work: () => void) => Promise.all(FOUR.map(() => queue.run(work)))
    const turns = turnsOf(atOnce, () => isLocked)
    isLocked = false
    expect(await turns).toBe(4)
    expect(await turnsOf(atOnce)).toBe(4)
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
