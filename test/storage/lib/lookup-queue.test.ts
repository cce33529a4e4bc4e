import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Deadline } from '../../../adapters/storage/lib/deadline.ts'
import { lookupsWith } from '../../../adapters/storage/lib/lookup-queue.ts'
import { sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import type { StorageCall } from '../../../src/storage/index.ts'

// What the clock of a test does not stand in for: the end of the turn, which is real here.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const hashOf = (n: number) => n.toString(16).padStart(64, '0')

/** A statement that was sent, and how a test answers it. */
interface Sent {
  readonly hashes: readonly string[]
  readonly deadline: Deadline
  readonly answer: (found?: readonly string[]) => void
  readonly fail: (error: Error) => void
}

/** A call whose signal must not be read, because it costs as much as the lookup. */
function callOf(timeoutMs: number): StorageCall {
  return {
    timeoutMs,
    get signal(): never {
      throw new Error('the signal was read')
    },
  }
}

/** Lookups over a server that answers when the test says so. */
function world() {
  const sent: Sent[] = []
  const find = lookupsWith(
    (hashes, deadline) =>
      new Promise((resolve, fail) => {
        const answer = (found = hashes) =>
          resolve(new Map(found.map((hash) => [hash, sampleRecord({ hash })])))
        sent.push({ hashes, deadline, fail, answer })
      }),
  )
  const lookUp = (n: number, timeoutMs = 1_000) => find(hashOf(n), callOf(timeoutMs))
  const ask = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => lookUp(from + at))
  const sizes = () => sent.map(({ hashes }) => hashes.length)
  return { sent, lookUp, ask, sizes }
}

/** The end of this turn, after all that was asked and answered in it. */
const turn = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)))

describe('a lone lookup', () => {
  test('is sent at once, and gets the key or nothing', async () => {
    const { sent, lookUp } = world()
    const [found, missing] = [lookUp(1), lookUp(2)]
    expect(sent).toHaveLength(1)
    await turn()
    expect(sent.map(({ hashes }) => hashes)).toEqual([[hashOf(1)], [hashOf(2)]])
    sent[0]?.answer()
    sent[1]?.answer([])
    expect(await found).toMatchObject({ hash: hashOf(1) })
    expect(await missing).toBeNull()
    void lookUp(3)
    expect(sent).toHaveLength(3)
  })

  test('waits for the end of the turn after an answer for many', async () => {
    const { sent, ask, sizes } = world()
    void Promise.all(ask(0, 3))
    await turn()
    expect(sizes()).toEqual([1, 2])
    sent[0]?.answer()
    await turn()
    sent[1]?.answer()
    await turn()
    void Promise.all(ask(3, 2))
    expect(sizes()).toEqual([1, 2])
    await turn()
    expect(sizes()).toEqual([1, 2, 2])
  })
})

describe('many lookups', () => {
  // The one that found none in flight, and half of all.
  test.each([
    [33, [1, 32]],
    [200, [1, 100]],
    [3_000, [1, 512]],
  ])('%i of one turn share statements of %j', async (count, expected) => {
    const { ask, sizes } = world()
    void Promise.all(ask(0, count))
    await turn()
    expect(sizes()).toEqual(expected)
  })

  test('wait for the next statement, and get their answers', async () => {
    const { sent, ask, sizes } = world()
    const all = Promise.all(ask(0, 200))
    await turn()
    sent[0]?.answer()
    await turn()
    expect(sizes()).toEqual([1, 100, 99])
    for (const { answer } of sent) answer()
    const hashes = (await all).map((record) => record?.hash)
    expect(hashes).toEqual(Array.from({ length: 200 }, (_, at) => hashOf(at)))
  })

  test('are counted together with those in flight', async () => {
    const { sent, ask, sizes } = world()
    void Promise.all(ask(0, 101))
    await turn()
    void Promise.all(ask(101, 20))
    sent[0]?.answer()
    await turn()
    // 69 wait and 51 are in flight: an equal share of all is 60.
    expect(sizes()).toEqual([1, 51, 60])
  })

  test('of the same hash get the same answer', async () => {
    const { sent, lookUp } = world()
    void lookUp(0)
    const both = Promise.all([lookUp(7), lookUp(7)])
    await turn()
    sent[1]?.answer([hashOf(7)])
    const [one, other] = await both
    expect(one?.hash).toBe(hashOf(7))
    expect(other).toBe(one)
  })

  test('have the time of the one that waits longest', async () => {
    const { sent, lookUp } = world()
    void lookUp(0)
    const beganMs = performance.now()
    void lookUp(1)
    vi.advanceTimersByTime(100)
    void lookUp(2)
    void lookUp(3, 500)
    await turn()
    const atMs = sent.map(({ deadline }) => deadline.atMs - beganMs)
    expect(atMs).toEqual([1_000, 1_100])
  })

  test('all fail together, and the next ones are sent all the same', async () => {
    const { sent, ask, sizes } = world()
    const some = Promise.allSettled(ask(0, 3))
    await turn()
    sent[0]?.answer()
    sent[1]?.fail(new Error('down'))
    const failed = { status: 'rejected', reason: { message: 'down' } }
    expect(await some).toMatchObject([{ status: 'fulfilled' }, failed, failed])
    void Promise.all(ask(3, 2))
    await turn()
    expect(sizes()).toEqual([1, 2, 2])
  })
})

describe('slow answers', () => {
  test('keep no lookup waiting after 250 ms, and eight statements are in flight at most', async () => {
    const { lookUp, sizes } = world()
    void Promise.all(Array.from({ length: 6_000 }, (_, at) => lookUp(at, 9_000)))
    await turn()
    const counts: number[] = []
    for (const ms of [249, 1, 250, 250, 250, 250]) {
      vi.advanceTimersByTime(ms)
      await turn()
      counts.push(sizes().length)
    }
    expect(counts).toEqual([2, 4, 6, 8, 8, 8])
  })

  test('do not count after their deadline, so that lookups never stop for good', async () => {
    const { ask, sizes } = world()
    void Promise.allSettled(ask(0, 5_000))
    const counts: number[] = []
    for (let slow = 0; slow < 5; slow += 1) {
      await turn()
      counts.push(sizes().length)
      vi.advanceTimersByTime(250)
    }
    expect(counts.slice(0, 4)).toEqual([2, 4, 6, 8])
    expect(sizes().reduce((all, size) => all + size)).toBe(5_000)
  })

  test('that came in the end are slow no longer', async () => {
    const { sent, ask, sizes } = world()
    void Promise.all(ask(0, 2))
    await turn()
    vi.advanceTimersByTime(250)
    for (const { answer } of sent) answer()
    await turn()
    void Promise.all(ask(2, 1_000))
    await turn()
    expect(sizes()).toHaveLength(4)
  })

  test('need one timer, and answers in time need none', async () => {
    const { sent, ask } = world()
    void Promise.all(ask(0, 2))
    await turn()
    expect(vi.getTimerCount()).toBe(0)
    void Promise.all(ask(2, 2_000))
    await turn()
    expect(vi.getTimerCount()).toBe(1)
    for (let at = 0; at < sent.length; at += 1) {
      sent[at]?.answer()
      await turn()
    }
    vi.advanceTimersByTime(250)
    expect(vi.getTimerCount()).toBe(0)
  })
})
