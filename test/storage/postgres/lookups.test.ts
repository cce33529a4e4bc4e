import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Deadline } from '../../../adapters/storage/lib/deadline.ts'
import type { Ask } from '../../../adapters/storage/lib/postgres/ask.ts'
import type { Answers, Statement } from '../../../adapters/storage/lib/postgres/driver.ts'
import { POSTGRES } from '../../../adapters/storage/lib/postgres/errors.ts'
import { lookupsOf } from '../../../adapters/storage/lib/postgres/lookups.ts'
import { KEY_COLUMNS } from '../../../adapters/storage/lib/sql/columns.ts'
import { sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import type { StorageCall } from '../../../src/storage/index.ts'

// What the clock of a test does not stand in for: the end of the turn, which is real here.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const hashOf = (n: number) => n.toString(16).padStart(64, '0')

/** A row as the server writes it. */
function lineOf(hash: string): string {
  const record = sampleRecord({ hash, id: 'key_1', createdAtMs: 5 })
  const columns = KEY_COLUMNS.map(({ name, of }) => [name, of(record)])
  const { hash: _hash, ...others } = Object.fromEntries(columns)
  return `{"hash" : "${hash}", ${JSON.stringify(others).slice(1)}`
}

const hashesIn = ({ values }: Statement) => values.join().match(/[0-9a-f]{64}/g) ?? []

/** A statement that was sent, and how a test answers it. */
interface Sent {
  readonly hashes: readonly string[]
  readonly text: string
  readonly deadline: Deadline
  readonly answer: (hashes?: readonly string[]) => void
  readonly answerWith: (answers: Answers) => void
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
function world(ensure: (call: StorageCall | undefined) => unknown = () => undefined) {
  const sent: Sent[] = []
  const rows: Ask['rows'] = async (statement, deadline, call) => {
    const notReady = ensure(call)
    if (notReady !== undefined) await notReady
    return new Promise<Answers>((resolve, reject) => {
      const hashes = hashesIn(statement)
      sent.push({
        ...{ hashes, text: statement.text, deadline, fail: reject, answerWith: resolve },
        answer: (found = hashes) => resolve(found.map(lineOf)),
      })
    })
  }
  const lookUpIn = lookupsOf({ at: (table: string) => table, rows } as Ask)
  const lookUp = (hash: string, timeoutMs = 1_000) => lookUpIn(hash, callOf(timeoutMs))
  const ask = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => lookUp(hashOf(from + at)))
  const sizes = () => sent.map(({ hashes }) => hashes.length)
  return { sent, lookUp, lookUpIn, ask, sizes }
}

/** The end of this turn, after all that was asked and answered in it. */
const turn = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)))

describe('a lone lookup', () => {
  test('is sent at once, and gets the key or nothing', async () => {
    const { sent, lookUp } = world()
    const [found, missing] = [lookUp(hashOf(1)), lookUp(hashOf(2))]
    await turn()
    expect(sent.map(({ hashes }) => hashes)).toEqual([[hashOf(1)], [hashOf(2)]])
    expect(sent[0]?.text).toContain('k.hash = $1')
    sent[0]?.answer()
    sent[1]?.answer([])
    expect(await found).toMatchObject({ hash: hashOf(1), id: 'key_1' })
    expect(await missing).toBeNull()
  })

  test('does not wait for the end of the turn', async () => {
    const { sent, lookUp } = world()
    void lookUp(hashOf(1))
    await Promise.resolve()
    expect(sent).toHaveLength(1)
    await turn()
    sent[0]?.answer()
    await turn()
    void lookUp(hashOf(2))
    await Promise.resolve()
    expect(sent).toHaveLength(2)
  })

  test('waits for it after an answer for many', async () => {
    const { sent, ask, sizes } = world()
    void Promise.all(ask(0, 3))
    await turn()
    expect(sizes()).toEqual([1, 2])
    expect(sent[1]?.text).toContain('k.hash = ANY ($1')
    sent[0]?.answer()
    await turn()
    sent[1]?.answer()
    await turn()
    void Promise.all(ask(3, 2))
    await Promise.resolve()
    expect(sizes()).toEqual([1, 2])
    await turn()
    expect(sizes()).toEqual([1, 2, 2])
  })
})

describe('many lookups', () => {
  test('of one turn share two statements, and the others wait for the next', async () => {
    const { sent, ask, sizes } = world()
    const all = Promise.all(ask(0, 200))
    await turn()
    // The one that found none in flight, and half of all.
    expect(sizes()).toEqual([1, 100])
    sent[0]?.answer()
    await turn()
    expect(sizes()).toEqual([1, 100, 99])
    for (const { answer } of sent) answer()
    const found = await all
    expect(found.map((record) => record?.hash)).toEqual(
      Array.from({ length: 200 }, (_, at) => hashOf(at)),
    )
  })

  test('share one statement when they are few', async () => {
    const { ask, sizes } = world()
    void Promise.all(ask(0, 33))
    await turn()
    expect(sizes()).toEqual([1, 32])
  })

  test('are no more than 512 in one statement', async () => {
    const { ask, sizes } = world()
    void Promise.all(ask(0, 3_000))
    await turn()
    expect(sizes()).toEqual([1, 512])
  })

  test('are counted together with those in flight', async () => {
    const { sent, ask, sizes } = world()
    void Promise.all(ask(0, 101))
    await turn()
    expect(sizes()).toEqual([1, 51])
    void Promise.all(ask(101, 20))
    sent[0]?.answer()
    await turn()
    // 69 wait and 51 are in flight: an equal share of all is 60.
    expect(sizes()).toEqual([1, 51, 60])
  })

  test('of the same hash get the same answer', async () => {
    const { sent, lookUp } = world()
    void lookUp(hashOf(0))
    const both = Promise.all([lookUp(hashOf(7)), lookUp(hashOf(7))])
    await turn()
    sent[1]?.answer([hashOf(7)])
    const [one, other] = await both
    expect(one?.hash).toBe(hashOf(7))
    expect(other).toBe(one)
  })

  test('have the time of the one that waits longest', async () => {
    const { sent, lookUp } = world()
    void lookUp(hashOf(0))
    const beganMs = performance.now()
    void lookUp(hashOf(1))
    vi.advanceTimersByTime(100)
    void lookUp(hashOf(2))
    void lookUp(hashOf(3), 500)
    await turn()
    expect(sent.map(({ deadline }) => deadline)).toEqual([
      { atMs: beganMs + 1_000 },
      { atMs: beganMs + 1_100 },
    ])
  })

  test('all fail together, and the next ones are sent all the same', async () => {
    const { sent, ask, sizes } = world()
    const some = Promise.allSettled(ask(0, 3))
    await turn()
    sent[0]?.answer()
    sent[1]?.fail(new Error('down'))
    const outcomes = await some
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
    expect(outcomes[2]).toMatchObject({ reason: { message: 'down' } })
    void Promise.all(ask(3, 2))
    await turn()
    expect(sizes()).toEqual([1, 2, 2])
  })
})

describe('slow answers', () => {
  test('keep no lookup waiting after 250 ms, and eight statements are in flight at most', async () => {
    const { lookUp, sizes } = world()
    void Promise.all(Array.from({ length: 6_000 }, (_, at) => lookUp(hashOf(at), 9_000)))
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
    await turn()
    for (let slow = 0; slow < 3; slow += 1) {
      vi.advanceTimersByTime(250)
      await turn()
    }
    expect(sizes()).toHaveLength(8)
    vi.advanceTimersByTime(250)
    await turn()
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

describe('an answer that cannot be read', () => {
  test.each([null, '()', lineOf(hashOf(9))])(
    'a line of another key, %j, may belong to anyone',
    async (line) => {
      const { sent, lookUp } = world()
      void lookUp(hashOf(0))
      const all = Promise.allSettled([1, 2].map((n) => lookUp(hashOf(n))))
      await turn()
      sent[1]?.answerWith([line, lineOf(hashOf(1))])
      expect(await all).toMatchObject([
        { value: { hash: hashOf(1) } },
        { reason: { code: 'broken_row' } },
      ])
    },
  )

  test.each(['22021', 'XX001', 'XX002', '58030'])(
    'a statement that fails with %s is sent again for each of them',
    async (code) => {
      const { sent, ask, sizes } = world()
      void ask(0, 1)
      const all = Promise.allSettled(ask(1, 16))
      await turn()
      for (let at = 1; at < sent.length; at += 1) {
        const { hashes, answer, fail } = sent[at] ?? expect.fail()
        if (hashes.includes(hashOf(5))) fail(POSTGRES.faultOf('refused', 'no', { code }))
        else answer()
        await turn()
      }
      const outcomes = await all
      expect(outcomes.map(({ status }) => status)).toEqual(
        Array.from({ length: 16 }, (_, at) => (at === 4 ? 'rejected' : 'fulfilled')),
      )
      expect(sizes()).toEqual([1, 16, ...Array(16).fill(1)])
    },
  )
})
