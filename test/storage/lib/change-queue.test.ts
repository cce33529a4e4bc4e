import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ChangeQueue, changeQueueOf } from '../../../adapters/storage/lib/change-queue.ts'
import { rejection } from '../../support/world.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const LATE = new Error('late')

/** A queue, the changes that it has sent in their order, and how to answer each. */
function world() {
  const queue = new ChangeQueue()
  const sent: string[] = []
  const answers = new Map<string, (answer: string) => void>()
  const work = (name: string) => () =>
    new Promise<string>((resolve) => {
      sent.push(name)
      answers.set(name, resolve)
    })
  return {
    sent,
    /** Asks for a turn in the lane that the first letter of the name is. */
    change: (
      name: string,
      { withinMs = Number.POSITIVE_INFINITY, signal = undefined } = NO_LIMIT,
    ) =>
      queue.run(
        {
          lane: name.charAt(0),
          latestMs: performance.now() + withinMs,
          signal,
          late: () => LATE,
        },
        work(name),
      ),
    read: (name: string) => queue.runRead(work(name)),
    answer: async (...names: string[]) => {
      for (const name of names) answers.get(name)?.(name)
      await vi.advanceTimersByTimeAsync(0)
    },
  }
}

interface Limit {
  readonly withinMs?: number
  readonly signal?: AbortSignal | undefined
}
const NO_LIMIT: Limit = {}
const SOME_DAY = { latestMs: Number.POSITIVE_INFINITY, signal: undefined, late: () => LATE }

const later = (ms: number) => vi.advanceTimersByTimeAsync(ms)

describe('changes in flight', () => {
  test('are four at most, two in a lane, and the next one follows an answer', async () => {
    const { change, answer, sent } = world()
    const names = ['a1', 'a2', 'a3', 'b1', 'c1', 'd1', 'e1']
    const answered = Promise.all(names.map((name) => change(name)))
    expect(sent).toEqual(['a1', 'a2', 'b1', 'c1'])
    await answer('b1')
    expect(sent).toEqual(['a1', 'a2', 'b1', 'c1', 'd1'])
    await answer('a1')
    expect(sent.at(-1)).toBe('a3')
    await answer('a2', 'c1')
    expect(sent.at(-1)).toBe('e1')
    await answer('a3', 'd1', 'e1')
    expect(await answered).toEqual(names)
  })

  test('are two at most while lookups are in flight, and for 20 ms after the last', async () => {
    const { change, read, answer, sent } = world()
    void read('r1')
    for (const name of ['a1', 'b1', 'c1', 'd1', 'e1', 'f1']) void change(name)
    expect(sent).toEqual(['r1', 'a1', 'b1'])
    await answer('r1')
    await later(19)
    await answer('a1')
    expect(sent.slice(3)).toEqual(['c1'])
    await later(1)
    await answer('b1')
    expect(sent.slice(4)).toEqual(['d1', 'e1', 'f1'])
  })

  test('are four again after a failed read', async () => {
    const queue = new ChangeQueue()
    const failed = queue.runRead(() => Promise.reject(LATE))
    await expect(failed).rejects.toBe(LATE)
    await later(20)
    const sent: string[] = []
    for (const lane of ['a', 'b', 'c', 'd']) {
      const turn = { ...SOME_DAY, lane }
      void queue.run(turn, () => new Promise(() => sent.push(lane)))
    }
    expect(sent).toEqual(['a', 'b', 'c', 'd'])
  })

  test('that fail make room as well', async () => {
    const queue = new ChangeQueue()
    const turn = { ...SOME_DAY, lane: 'a' }
    const failing = Array.from({ length: 5 }, () =>
      rejection(queue.run(turn, () => Promise.reject(new Error('refused')))),
    )
    expect((await Promise.all(failing)).map(String)).toEqual(Array(5).fill('Error: refused'))
  })
})

describe('lanes take turns', () => {
  test('a lane with many changes lets the others in between', async () => {
    const { change, answer, sent } = world()
    const names = ['a1', 'b1', 'c1', 'd1', 'a2', 'a3', 'a4', 'b2', 'c2']
    for (const name of names) void change(name)
    for (const name of names.slice(0, 6)) await answer(name)
    expect(sent).toEqual(['a1', 'b1', 'c1', 'd1', 'a2', 'b2', 'c2', 'a3', 'a4'])
  })

  test('in a lane the order is that of the calls', async () => {
    const { change, answer, sent } = world()
    const names = Array.from({ length: 9 }, (_, index) => `a${index}`)
    for (const name of names) void change(name)
    for (const name of names) await answer(name)
    expect(sent).toEqual(names)
  })
})

describe('slow changes', () => {
  test('stop counting after a quarter of a second, up to eight in flight', async () => {
    const { change, sent } = world()
    for (let at = 0; at < 12; at += 1) void change('abcdefghijkl'.charAt(at))
    expect(sent).toHaveLength(4)
    await later(249)
    expect(sent).toHaveLength(4)
    await later(1)
    expect(sent).toHaveLength(8)
    await later(10_000)
    expect(sent).toHaveLength(8)
  })

  test('of one lane never take the place of the others', async () => {
    const { change, sent } = world()
    for (let at = 0; at < 12; at += 1) void change(`a${at}`)
    await later(10_000)
    expect(sent).toEqual(['a0', 'a1'])
    void change('b1')
    expect(sent).toEqual(['a0', 'a1', 'b1'])
  })
})

describe('a change that waits', () => {
  test('is not sent once its signal is aborted', async () => {
    const { change, answer, sent } = world()
    for (const name of ['a1', 'a2']) void change(name)
    const limit = new AbortController()
    const waiting = rejection(change('a3', { signal: limit.signal }))
    await later(100)
    limit.abort()
    expect(await waiting).toBe(LATE)
    await answer('a1', 'a2')
    expect(sent).toEqual(['a1', 'a2'])
  })

  test('is refused at once when its signal was aborted before', async () => {
    const { change } = world()
    for (const name of ['a1', 'a2']) void change(name)
    expect(await rejection(change('a3', { signal: AbortSignal.abort() }))).toBe(LATE)
  })

  test.each([
    [5_000, 4_999, true],
    [5_000, 5_000, false],
  ])('for %i ms and gets its turn after %i ms: %s', async (withinMs, ms, isSent) => {
    const { change, answer, sent } = world()
    for (const name of ['a1', 'a2']) void change(name)
    const waiting = rejection(change('a3', { withinMs }))
    await later(ms)
    await answer('a1')
    expect(sent.includes('a3')).toBe(isSent)
    if (!isSent) expect(await waiting).toBe(LATE)
  })

  test('passes its turn on when it comes too late', async () => {
    const { change, answer, sent } = world()
    for (const name of ['a1', 'a2']) void change(name)
    const late = rejection(change('a3', { withinMs: 800 }))
    void change('a4')
    await later(900)
    await answer('a1')
    expect(await late).toBe(LATE)
    expect(sent).toEqual(['a1', 'a2', 'a4'])
  })

  test('leaves no listener behind', async () => {
    const { change, answer } = world()
    for (const name of ['a1', 'a2']) void change(name)
    const { signal } = new AbortController()
    const listeners = new Set<unknown>()
    vi.spyOn(signal, 'addEventListener').mockImplementation((_, listener) => {
      listeners.add(listener)
    })
    vi.spyOn(signal, 'removeEventListener').mockImplementation((_, listener) => {
      listeners.delete(listener)
    })
    const waiting = change('a3', { signal })
    expect(listeners.size).toBe(1)
    await answer('a1')
    await answer('a3')
    expect([await waiting, listeners.size]).toEqual(['a3', 0])
  })
})

test('storages on one pool share its queue', () => {
  const [pool, other] = [0, 1].map(() => ({ query: async () => ({ rows: [] }) }))
  if (!pool || !other) throw new Error('two pools')
  expect(changeQueueOf(pool)).toBe(changeQueueOf(pool))
  expect(changeQueueOf(other)).not.toBe(changeQueueOf(pool))
})
