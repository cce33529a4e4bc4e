import { describe, expect, test, vi } from 'vitest'
import type { StorageCall } from '../../../src/lib/within-time.ts'
import { unref, withinTime } from '../../../src/lib/within-time.ts'
import { simulateTime } from '../../support/simulated-time.ts'
import { rejection, settled, thrown } from '../../support/world.ts'

simulateTime()

const never = () => new Promise<never>(() => {})

/** The timer that `work` sets. A spy would not do: the end of the file puts back what it has replaced. */
function timerSetBy(work: () => unknown): NodeJS.Timeout | undefined {
  const real = globalThis.setTimeout
  let timer: NodeJS.Timeout | undefined
  const noting = (run: () => void, ms?: number) => {
    timer = real(run, ms)
    return timer
  }
  globalThis.setTimeout = Object.assign(noting, real) as typeof setTimeout
  try {
    void Promise.resolve(work()).catch(() => {})
  } finally {
    globalThis.setTimeout = real
  }
  return timer
}

describe('work with a limit', () => {
  test('answers what it answers in time', async () => {
    expect(await withinTime({ timeoutMs: 1_000 }, () => Promise.resolve(7))).toBe(7)
    const failure = new Error('x')
    const failed = withinTime({ timeoutMs: 1_000 }, () => Promise.reject(failure))
    expect(await rejection(Promise.resolve(failed))).toBe(failure)
  })

  test.each([
    [{}, false],
    [{ keepsAlive: false }, false],
    [{ keepsAlive: true }, true],
  ])('%j: keeps the process running, %s', (limit, expected) => {
    const timer = timerSetBy(() => withinTime({ timeoutMs: 5, ...limit }, never))
    expect(timer?.hasRef()).toBe(expected)
  })

  test('throws what it throws at once', () => {
    const failure = new Error('x')
    expect(() => withinTime({ timeoutMs: 1_000 }, () => thrown(failure))).toThrow(failure)
  })

  test('ends after its own time, not before', async () => {
    const startMs = performance.now()
    const late = await rejection(Promise.resolve(withinTime({ timeoutMs: 40 }, never)))
    expect(performance.now() - startMs).toBe(42)
    expect(late).toEqual(new Error('no answer in 40 ms'))
  })

  test('a failure after the end is ignored', async () => {
    let fail = (_error: Error) => {}
    const late = new Promise<never>((_resolve, reject) => {
      fail = reject
    })
    const ended = withinTime({ timeoutMs: 5 }, () => late)
    expect(String(await rejection(Promise.resolve(ended)))).toContain('no answer')
    fail(new Error('too late'))
    await settled(5)
  })

  test('its timer goes with it, and there is none for an answer without a promise', async () => {
    vi.useFakeTimers()
    await withinTime({ timeoutMs: 1_000 }, () => 7)
    expect(vi.getTimerCount()).toBe(0)
    const answer = withinTime({ timeoutMs: 1_000 }, () => Promise.resolve(7))
    expect(vi.getTimerCount()).toBe(1)
    await answer
    await Promise.resolve()
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
  })
})

/** The outcome of work whose answer is looked at so long after its beginning. */
async function lookedAt(afterMs: number, limit: object) {
  const now = vi.spyOn(performance, 'now').mockReturnValue(100)
  try {
    const answer = Promise.resolve(7)
    const outcome = withinTime({ timeoutMs: 60_000, ...limit }, () => answer)
    now.mockReturnValue(100 + afterMs)
    return await outcome
  } finally {
    now.mockRestore()
  }
}

describe('an answer that is looked at after the end, since the process stood still', () => {
  test('is refused where it would be out of date', async () => {
    expect(await lookedAt(60_000, { lateAnswer: 'refused' })).toBe(7)
    expect(await rejection(lookedAt(60_001, { lateAnswer: 'refused' }))).toEqual(
      new Error('no answer in 60000 ms'),
    )
  })

  test('is looked at before work is given up that would then not know how it ended', async () => {
    let answer = (_value: string) => {}
    let signal: AbortSignal | undefined
    const outcome = withinTime({ timeoutMs: 5 }, (call) => {
      signal = call.signal
      return new Promise<string>((resolve, reject) => {
        answer = resolve
        call.signal.addEventListener('abort', () => reject(new Error('unknown')))
      })
    })
    vi.setTimerTickMode('manual').advanceTimersByTime(5)
    answer('done')
    expect(await outcome).toBe('done')
    vi.advanceTimersByTime(5)
    expect(signal?.aborted).toBe(false)
  })
})

describe('the call', () => {
  test('has one signal, aborted before the wait ends: work that heeds it has the last word', async () => {
    const failure = new Error('not sent')
    const outcome = withinTime<unknown>(
      { timeoutMs: 10 },
      (call) =>
        new Promise((_, reject) => {
          expect(call.signal).toBe(call.signal)
          call.signal.addEventListener('abort', () => reject(failure))
        }),
    )
    expect(await rejection(Promise.resolve(outcome))).toBe(failure)
  })

  test('has an aborted signal also when work first reads it after the time is over', async () => {
    let late: StorageCall | undefined
    const outcome = withinTime({ timeoutMs: 5 }, (call) => {
      late = call
      return never()
    })
    const failure = await rejection(Promise.resolve(outcome))
    expect([late?.signal.aborted, late?.signal.reason]).toEqual([true, failure])
  })

  test('is not aborted once it was answered', async () => {
    const signal = await withinTime({ timeoutMs: 5 }, async (call) => call.signal)
    await settled(20)
    expect(signal.aborted).toBe(false)
  })
})

test('a timer that keeps no process alive is left alone', () => {
  // A browser's timer is a number, and some runtimes have an object without unref.
  for (const timer of [7, {}]) {
    expect(() => unref(timer as ReturnType<typeof setTimeout>)).not.toThrow()
  }
  const timer = setTimeout(() => {}, 1_000)
  unref(timer)
  expect(timer.hasRef()).toBe(false)
  clearTimeout(timer)
})
