import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  attempts,
  type Failure,
  type Kind,
  NoAnswer,
} from '../../../adapters/storage/lib/attempts.ts'
import { untilAborted } from '../../../adapters/storage/lib/deadline.ts'
import { StorageError } from '../../../adapters/storage/lib/storage-error.ts'

/** The outcome of one attempt: a failure, no answer or no connection until the call is over, or an answer. */
type Fate = Failure | 'silence' | 'wait' | 'answer'

beforeEach(() => {
  vi.useFakeTimers()
  // The longest pause there is: half of it is always waited, the rest is left to chance.
  vi.spyOn(Math, 'random').mockReturnValue(1)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const FAULTS = {
  ...{ database: 'the database', busyWrites: 2 },
  failureOf: (error: unknown, wasSent: boolean) =>
    error instanceof NoAnswer ? (wasSent ? 'open' : 'final') : Object(error).message,
  faultFrom: (error: unknown) => new StorageError('refused', Object(error).message),
  faultOf: (code: StorageError['code'], message: string, cause: unknown) =>
    new StorageError(code, message, { cause }),
}

/** A call whose attempts meet one fate after the other, and then the last for ever. */
async function call(kind: Kind, fates: readonly Fate[], { timeoutMs = 5_000, abortMs = 1e9 } = {}) {
  const startMs = performance.now()
  const limit = new AbortController()
  if (abortMs < 0) limit.abort()
  setTimeout(() => limit.abort(), Math.min(timeoutMs, abortMs))
  const at: number[] = []
  const attempt = async (sent: () => void) => {
    const fate = fates[Math.min(at.length, fates.length - 1)]
    at.push(performance.now() - startMs)
    if (fate !== 'wait') sent()
    if (fate === 'silence' || fate === 'wait') {
      await new Promise((resolve) => limit.signal.addEventListener('abort', resolve))
      throw new NoAnswer('silence')
    }
    if (fate !== 'answer') throw new Error(fate)
    return 'answer'
  }
  const deadline = { atMs: startMs + timeoutMs, signal: limit.signal }
  const outcome = attempts(FAULTS, kind, deadline, attempt).catch((error: StorageError) => error)
  let isOver = false
  void outcome.then(() => {
    isOver = true
  })
  await vi.advanceTimersByTimeAsync(0)
  while (!isOver) await vi.advanceTimersToNextTimerAsync()
  const answer = await outcome
  return { end: answer instanceof StorageError ? answer.code : answer, answer, at }
}

const PASSING: readonly Fate[] = ['passing', 'passing']
const BUSY: readonly Fate[] = ['busy', 'busy']

describe('attempts', () => {
  test.each<[Kind, readonly Fate[], end: string, count: number]>([
    ['read', ['answer'], 'answer', 1],
    ['read', [...PASSING, 'answer'], 'answer', 3],
    ['read', ['open', 'passing', 'answer'], 'answer', 3],
    ['read', ['passing'], 'refused', 3],
    ['read', ['open'], 'refused', 3],
    ['read', ['final'], 'refused', 1],
    ['read', ['silence'], 'timeout', 1],
    ['change', [...BUSY, ...BUSY, ...PASSING, 'answer'], 'answer', 7],
    ['change', ['passing'], 'refused', 3],
    ['change', ['open', ...PASSING, ...PASSING, 'answer'], 'answer', 6],
    ['change', ['open', 'final'], 'outcome_unknown', 2],
    ['change', ['open', 'silence'], 'outcome_unknown', 2],
    ['change', ['silence'], 'outcome_unknown', 1],
    ['write', [...PASSING, 'answer'], 'answer', 3],
    ['write', ['passing'], 'refused', 3],
    ['write', [...BUSY, 'answer'], 'answer', 3],
    ['write', [...BUSY, 'busy'], 'busy', 3],
    ['write', ['busy', 'passing', 'passing', 'answer'], 'answer', 4],
    ['write', ['open'], 'outcome_unknown', 1],
    ['write', ['silence'], 'outcome_unknown', 1],
    ['write', ['wait'], 'timeout', 1],
    ['write', ['final'], 'refused', 1],
  ])('of a %s that meet %j: %s after %i', async (kind, fates, end, count) => {
    const called = await call(kind, fates)
    expect([called.end, called.at.length]).toEqual([end, count])
  })

  test('come later each time, and after half the pause at least', async () => {
    expect((await call('change', [...BUSY, ...BUSY, ...BUSY, 'answer'])).at).toEqual([
      ...[0, 10, 30, 70, 120, 170, 220],
    ])
    expect((await call('change', ['open'], { timeoutMs: 1_000 })).at).toEqual([
      ...[0, 10, 30, 70, 150, 310, 560],
    ])
    vi.mocked(Math.random).mockReturnValue(0)
    expect((await call('change', [...BUSY, 'answer'])).at).toEqual([0, 5, 15])
  })

  test.each<[Kind, timeoutMs: number, end: string]>([
    // At 570 there are 430 ms left, and the next attempt would come at 620.
    ['change', 1_000, 'busy'],
    ['change', 20, 'busy'],
    ['read', 10, 'busy'],
  ])('of a %s end while an answer can still come in %i ms', async (kind, timeoutMs, end) => {
    const called = await call(kind, ['busy'], { timeoutMs })
    expect(called.end).toBe(end)
    expect(called.answer).toMatchObject({ message: 'others were changing the same rows' })
    if (timeoutMs === 1_000) expect(called.at.at(-1)).toBe(570)
    const more = await call(kind, ['busy', 'answer'], { timeoutMs: timeoutMs + 1 })
    expect(more.end).toBe('answer')
  })

  test.each([{ timeoutMs: 0 }, { abortMs: -1 }])('do not begin after %j', async (limits) => {
    const { end, at, answer } = await call('write', ['answer'], limits)
    expect([end, at]).toEqual(['timeout', []])
    expect(answer).toMatchObject({ message: 'the database did not take the change in time' })
  })

  test.each<[Kind, Fate, string]>([
    ['read', 'passing', 'timeout'],
    ['change', 'busy', 'timeout'],
    ['change', 'open', 'outcome_unknown'],
    ['write', 'wait', 'timeout'],
  ])('a %s that is given up after %s is %s', async (kind, fate, end) => {
    const called = await call(kind, [fate, 'answer'], { abortMs: 5 })
    expect([called.end, called.at.length]).toEqual([end, 1])
  })
})

test('all waits of one signal share a listener, of which Node allows ten, and end with it', async () => {
  const controller = new AbortController()
  const { signal } = controller
  const wait = (work: Promise<unknown>) =>
    untilAborted(signal, work, () => new Error('late')).catch(String)
  const waits = Array.from({ length: 20 }, () => wait(new Promise(() => {})))
  expect(await wait(Promise.resolve('in time'))).toBe('in time')
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  controller.abort()
  expect(await Promise.all(waits)).toEqual(Array(20).fill('Error: late'))
  expect(await wait(Promise.resolve('too late'))).toBe('Error: late')
})
