import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Calls } from '../../../adapters/storage/lib/postgres/calls.ts'
import type { Answers, Statement } from '../../../adapters/storage/lib/postgres/driver.ts'
import { faultOf } from '../../../adapters/storage/lib/postgres/errors.ts'
import { lookupsOf } from '../../../adapters/storage/lib/postgres/lookups.ts'
import { namesOf } from '../../../adapters/storage/lib/postgres/names.ts'
import type { Readiness } from '../../../adapters/storage/lib/postgres/readiness.ts'
import { statementsOf } from '../../../adapters/storage/lib/postgres/statements.ts'

// What the clock of a test does not stand in for: the end of the turn, which is real here.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const statements = statementsOf(namesOf({}))
const hashOf = (n: number) => n.toString(16).padStart(64, '0')
const lineOf = (hash: string) => `(${hash},,0,,,{a},key_1,ws,n,live,svc_live_abc,u,N,5,)`
const hashesIn = ({ values }: Statement) => values.join().match(/[0-9a-f]{64}/g) ?? []

/** A statement that was sent, and how a test answers it. */
interface Sent {
  readonly hashes: readonly string[]
  readonly text: string
  readonly deadline: number
  readonly answer: (hashes?: readonly string[]) => void
  readonly answerWith: (answers: Answers) => void
  readonly fail: (error: Error) => void
}

/** Lookups over a server that answers when the test says so. */
function world(ensure: Readiness['ensure'] = () => undefined) {
  const sent: Sent[] = []
  const calls = {
    deadline: () => performance.now() + 1_000,
    readAll: (statement: Statement, deadline: number) =>
      new Promise<Answers>((resolve, reject) => {
        const hashes = hashesIn(statement)
        sent.push({
          ...{ hashes, text: statement.text, deadline, fail: reject, answerWith: resolve },
          answer: (found = hashes) => resolve(found.map(lineOf)),
        })
      }),
  } as Partial<Calls> as Calls
  const lookUp = lookupsOf(calls, statements, { ensure, migrate: async () => undefined })
  const ask = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => lookUp(hashOf(from + at)))
  const sizes = () => sent.map(({ hashes }) => hashes.length)
  return { sent, lookUp, ask, sizes }
}

/** The end of this turn, after all that was asked and answered in it. */
const turn = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)))

describe('one who asks alone', () => {
  test('is sent at once, and gets the key or nothing', async () => {
    const { sent, lookUp } = world()
    const [found, missing] = [lookUp(hashOf(1)), lookUp(hashOf(2))]
    await turn()
    expect(sent.map(({ hashes }) => hashes)).toEqual([[hashOf(1)], [hashOf(2)]])
    expect(sent[0]?.text).toBe(statements.findOne(hashOf(1)).text)
    sent[0]?.answer()
    sent[1]?.answer([])
    expect(await found).toMatchObject({ hash: hashOf(1), id: 'key_1' })
    expect(await missing).toBeNull()
  })

  test('need not wait for the end of the turn', async () => {
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

  test('waits for it after an answer for many, when many ask again', async () => {
    const { sent, ask, sizes } = world()
    void Promise.all(ask(0, 3))
    await turn()
    expect(sizes()).toEqual([1, 2])
    expect(sent[1]?.text).toBe(statements.findMany([]).text)
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

describe('many who ask', () => {
  test('in one turn have two round trips, and the others gather for the next', async () => {
    const { sent, ask, sizes } = world()
    const all = Promise.all(ask(0, 200))
    await turn()
    // The one that found nobody on the way, and half of all.
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

  test('go together also when one asks a little later in the turn', async () => {
    const { ask, sizes } = world()
    void Promise.all(ask(0, 2))
    for (let step = 0; step < 20; step += 1) await Promise.resolve()
    expect(sizes()).toEqual([1])
    void Promise.all(ask(2, 1))
    await turn()
    expect(sizes()).toEqual([1, 2])
  })

  test('go together when they are few', async () => {
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

  test('are counted together with those on their way', async () => {
    const { sent, ask, sizes } = world()
    void Promise.all(ask(0, 101))
    await turn()
    expect(sizes()).toEqual([1, 51])
    void Promise.all(ask(101, 20))
    sent[0]?.answer()
    await turn()
    // 69 wait and 51 are on their way: an equal share of all is 60.
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

  test('have the deadline of the one who asked first', async () => {
    const { sent, lookUp } = world()
    void lookUp(hashOf(0))
    const first = performance.now() + 1_000
    void lookUp(hashOf(1))
    vi.advanceTimersByTime(100)
    void lookUp(hashOf(2))
    await turn()
    expect(sent.map(({ deadline }) => deadline)).toEqual([first, first])
  })

  test('all hear of a failure, and the next ones are sent all the same', async () => {
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
  test('keep nobody waiting after 250 ms, and eight are on their way at most', async () => {
    const { ask, sizes } = world()
    void Promise.all(ask(0, 5_000))
    await turn()
    const counts: number[] = []
    for (const ms of [249, 1, 250, 250, 250]) {
      vi.advanceTimersByTime(ms)
      await turn()
      counts.push(sizes().length)
    }
    expect(counts).toEqual([2, 4, 6, 8, 8])
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

  test('an answer in time is not slow, and its timer ends by itself', async () => {
    const { sent, ask, sizes } = world()
    void Promise.all(ask(0, 2))
    await turn()
    for (const { answer } of sent) answer()
    await turn()
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(250)
    expect(vi.getTimerCount()).toBe(0)
    void Promise.all(ask(2, 1_000))
    await turn()
    expect(sizes()).toHaveLength(4)
  })
})

describe('what is no key', () => {
  test('a row that makes no sense fails those who asked for it alone', async () => {
    const { sent, lookUp } = world()
    void lookUp(hashOf(0))
    const all = Promise.allSettled([1, 2, 2, 3].map((n) => lookUp(hashOf(n))))
    await turn()
    sent[1]?.answerWith([lineOf(hashOf(1)), lineOf(hashOf(2)).replace(',,0,', ',,many,')])
    const outcomes = await all
    expect(outcomes).toMatchObject([
      { value: { hash: hashOf(1) } },
      ...Array(2).fill({ reason: { code: 'broken_row' } }),
      { value: null },
    ])
  })

  test.each([null, '()', lineOf(hashOf(9))])(
    'a line of nobody, %j, may be of anyone',
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
    'a statement that fails with %s is halved until the row is found',
    async (code) => {
      const { sent, ask, sizes } = world()
      void ask(0, 1)
      const all = Promise.allSettled(ask(1, 16))
      await turn()
      for (let at = 1; at < sent.length; at += 1) {
        const { hashes, answer, fail } = sent[at] ?? expect.fail()
        if (hashes.includes(hashOf(5))) fail(faultOf('refused', 'no', { code }))
        else answer()
        await turn()
      }
      const outcomes = await all
      expect(outcomes.map(({ status }) => status)).toEqual(
        Array.from({ length: 16 }, (_, at) => (at === 4 ? 'rejected' : 'fulfilled')),
      )
      expect(sizes()).toEqual([1, 16, 8, 4, 4, 2, 1, 1, 2, 8])
    },
  )

  test.each(['42501', '57014'])('one that fails with %s is not', async (code) => {
    const { sent, ask, sizes } = world()
    void ask(0, 1)
    const all = Promise.allSettled(ask(1, 4))
    await turn()
    sent[1]?.fail(faultOf('refused', 'no', { code }))
    expect((await all).map(({ status }) => status)).toEqual(Array(4).fill('rejected'))
    expect(sizes()).toEqual([1, 4])
  })

  test.each([[null], [''], ['()']])('a line that makes no sense: %j', async (line) => {
    const { sent, lookUp } = world()
    const found = lookUp(hashOf(1))
    await turn()
    sent[0]?.answerWith([line])
    await expect(found).rejects.toMatchObject({ code: 'broken_row' })
  })

  test('nothing is asked of a server that is not ready', async () => {
    const seen: number[] = []
    const { sent, lookUp } = world(async (deadline) => {
      seen.push(deadline)
      throw new Error('not ready')
    })
    const deadline = performance.now() + 1_000
    await expect(lookUp(hashOf(1))).rejects.toThrow('not ready')
    expect([sent, seen]).toEqual([[], [deadline]])
  })
})
