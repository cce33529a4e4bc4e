import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ChangeQueue } from '../../../adapters/storage/lib/change-queue.ts'
import { type Attempt, callsOf } from '../../../adapters/storage/lib/postgres/calls.ts'
import type { Answers, Statement } from '../../../adapters/storage/lib/postgres/driver.ts'

/** What becomes of one attempt: an answer, a failure, or nothing at all. */
interface Fate {
  readonly answers?: Answers
  readonly code?: string
  readonly message?: string
  /** Whether it had left this process. Default: yes. */
  readonly wasSent?: boolean
  /** When it comes about, in milliseconds from the attempt. */
  readonly afterMs?: number
}

/** The longest wait of a timer. */
const LONGEST_MS = 2 ** 31 - 1

const SILENCE: Fate = { afterMs: Number.POSITIVE_INFINITY }
const BUSY: Fate = { code: '40001' }
const UNSENT: Fate = { code: 'ECONNREFUSED', wasSent: false }
const CUT: Fate = { code: 'ECONNRESET' }
const ANSWER: Fate = { answers: ['yes'] }

beforeEach(() => {
  vi.useFakeTimers()
  // The longest pause there is: half of it is always waited, the rest is left to chance.
  vi.spyOn(Math, 'random').mockReturnValue(1)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** Calls over a driver whose attempts meet one fate after the other, and then the last for ever. */
function world(fates: readonly Fate[], timeoutMs = 5_000) {
  const box = { forgotten: 0, abandoned: 0 }
  const attempts: (Attempt & { readonly atMs: number; readonly timeoutMs: number })[] = []
  let given: Attempt | null = null
  const driver = {
    send: (_statement: Statement, timeoutMs: number) => {
      const fate = fates[Math.min(attempts.length, fates.length - 1)] ?? {}
      attempts.push({ ...(given as Attempt), atMs: performance.now() - startMs, timeoutMs })
      return {
        answers: outcome(fate),
        wasSent: () => fate.wasSent ?? true,
        abandon: () => {
          box.abandoned += 1
        },
      }
    },
    forgetNames: () => {
      box.forgotten += 1
    },
  }
  const calls = callsOf(driver, new ChangeQueue())
  const startMs = performance.now()
  const limit = new AbortController()
  const deadline = { atMs: startMs + timeoutMs, signal: limit.signal }
  const abortAt = (ms: number) => setTimeout(() => limit.abort(), ms)
  if (timeoutMs < LONGEST_MS) abortAt(timeoutMs)
  const statement = (attempt: Attempt) => {
    given = attempt
    return { text: '', values: [] }
  }
  return {
    ...{ box, attempts, calls, deadline, abortAt },
    change: () => calls.change(statement, deadline),
    changeInTurn: () => calls.change(statement, deadline, 'lane'),
    read: () => calls.read({ text: '', values: [] }, deadline),
    passed: () => endedMs - startMs,
  }
}

function outcome({ answers, code, message = 'failed', afterMs = 0 }: Fate): Promise<Answers> {
  return new Promise((resolve, reject) => {
    if (!Number.isFinite(afterMs)) return
    setTimeout(() => {
      if (answers) resolve(answers)
      else reject(Object.assign(new Error(message), { code }))
    }, afterMs)
  })
}

let endedMs = 0

/** What the call comes to, and all that its timers still do after it. */
async function settled<T>(call: Promise<T>) {
  const seen = call.then(
    (answer) => ({ answer }),
    (error: { code: string; message: string; cause: unknown }) => ({
      code: error.code,
      message: error.message,
      cause: Reflect.get(Object(error.cause), 'message') ?? null,
    }),
  )
  let isOver = false
  void seen.then(() => {
    endedMs = performance.now()
    isOver = true
  })
  while (!isOver && vi.getTimerCount() > 0) await vi.advanceTimersToNextTimerAsync()
  await vi.advanceTimersByTimeAsync(100_000)
  return seen
}

describe('an answer', () => {
  test('is the first row, or nothing', async () => {
    expect(await settled(world([{ answers: ['a', 'b'] }]).read())).toEqual({ answer: 'a' })
    expect(await settled(world([{ answers: [] }]).read())).toEqual({ answer: null })
    expect(await settled(world([ANSWER]).change())).toEqual({ answer: 'yes' })
    const { calls, deadline } = world([{ answers: ['a', 'b'] }])
    const all = calls.readAll({ text: '', values: [] }, deadline)
    expect(await settled(all)).toEqual({ answer: ['a', 'b'] })
  })

  test('ends the call, and so does a failure: the signal does nothing any more', async () => {
    for (const fate of [ANSWER, { code: '23505' }]) {
      const { read, box, passed } = world([fate])
      await settled(read())
      expect([passed(), box.abandoned]).toEqual([0, 0])
    }
  })

  test('is waited for until the deadline', async () => {
    const { read, attempts } = world([{ ...ANSWER, afterMs: 4_999 }])
    expect(await settled(read())).toEqual({ answer: 'yes' })
    expect(attempts).toMatchObject([{ timeoutMs: 5_000 }])
  })
})

describe('no answer in time', () => {
  test('of a read', async () => {
    const { read, box, passed } = world([SILENCE])
    expect(await settled(read())).toEqual({
      ...{ code: 'timeout', message: 'PostgreSQL did not answer in time' },
      cause: 'the server did not answer in time',
    })
    expect([passed(), box.abandoned]).toEqual([5_000, 1])
  })

  test('of a change that was sent', async () => {
    expect(await settled(world([SILENCE]).change())).toEqual({
      ...{ code: 'outcome_unknown' },
      message: 'the answer was lost: the change may have been made',
      cause: 'the server did not answer in time',
    })
  })

  test('of a change that still waited for a connection', async () => {
    expect(await settled(world([{ ...SILENCE, wasSent: false }]).change())).toMatchObject({
      ...{ code: 'timeout', message: 'PostgreSQL did not take the change in time' },
    })
  })

  test('no time at all was left', async () => {
    const { calls, attempts } = world([ANSWER])
    const call = calls.read({ text: '', values: [] }, { atMs: performance.now() })
    expect(await settled(call)).toMatchObject({ code: 'timeout', cause: 'no time was left' })
    expect(attempts).toEqual([])
  })
})

describe('a signal that is aborted', () => {
  test('before the call: nothing is sent', async () => {
    const { change, attempts, abortAt } = world([ANSWER])
    abortAt(0)
    await vi.advanceTimersByTimeAsync(0)
    expect(await settled(change())).toMatchObject({ code: 'timeout', cause: 'no time was left' })
    expect(attempts).toEqual([])
  })

  test('ends the attempt under way, whatever time was left', async () => {
    const { change, box, passed, abortAt } = world([SILENCE])
    abortAt(70)
    expect(await settled(change())).toMatchObject({ code: 'outcome_unknown' })
    expect([passed(), box.abandoned]).toEqual([70, 1])
  })

  test.each([
    [{ ...BUSY, afterMs: 60 }, 'timeout'],
    [{ ...CUT, afterMs: 60 }, 'outcome_unknown'],
  ])('ends the pause after %j', async (fate, code) => {
    const { change, attempts, passed, abortAt } = world([fate, ANSWER])
    abortAt(65)
    expect(await settled(change())).toMatchObject({ code, cause: 'failed' })
    expect([passed(), attempts.length]).toEqual([65, 1])
  })

  test('is left alone by a call that has none, and so is the time', async () => {
    const { calls } = world([...Array(200).fill(BUSY), ANSWER])
    const call = calls.change(() => ({ text: '', values: [] }), { atMs: Number.POSITIVE_INFINITY })
    expect(await settled(call)).toEqual({ answer: 'yes' })
  })

  test('keeps no listener of a call that has answered', async () => {
    const { change, deadline } = world([BUSY, CUT, ANSWER])
    const added = vi.spyOn(deadline.signal, 'addEventListener')
    const removed = vi.spyOn(deadline.signal, 'removeEventListener')
    await settled(change())
    expect(added.mock.calls.length).toBe(5)
    expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(
      added.mock.calls.map(([, listener]) => listener),
    )
  })
})

describe('a server that was busy', () => {
  test('is retried, later each time, and after 50 ms at most', async () => {
    const { change, attempts } = world([...Array(6).fill(BUSY), ANSWER])
    expect(await settled(change())).toEqual({ answer: 'yes' })
    expect(attempts.map(({ atMs }) => atMs)).toEqual([0, 10, 30, 70, 120, 170, 220])
    expect(attempts.map(({ leftMs }) => leftMs)).toEqual([
      ...[5_000, 4_990, 4_970, 4_930, 4_880, 4_830, 4_780],
    ])
    expect(attempts.every(({ isRepeat }) => !isRepeat)).toBe(true)
  })

  test('is retried after half of that at least', async () => {
    vi.mocked(Math.random).mockReturnValue(0)
    const { change, attempts } = world([BUSY, BUSY, ANSWER])
    await settled(change())
    expect(attempts.map(({ atMs }) => atMs)).toEqual([0, 5, 15])
  })

  test('all the time gets no change when too little is left for its answer', async () => {
    const { change, attempts, passed } = world([BUSY], 1_000)
    expect(await settled(change())).toMatchObject({
      ...{ code: 'timeout', message: 'PostgreSQL did not take the change in time' },
      cause: 'failed',
    })
    expect(passed()).toBe(attempts.at(-1)?.atMs)
    // At 570 there are 430 ms left, and the next attempt would come at 620.
    expect(attempts.at(-1)?.atMs).toBe(570)
  })

  test('exactly what is needed is too little', async () => {
    expect((await settled(world([BUSY, ANSWER], 410).change())) as object).toHaveProperty('code')
    expect(await settled(world([BUSY, ANSWER], 411).change())).toEqual({ answer: 'yes' })
  })

  test('is read from as long as any time is left', async () => {
    expect(await settled(world([BUSY, ANSWER], 11).read())).toEqual({ answer: 'yes' })
    expect(await settled(world([BUSY, ANSWER], 10).read())).toMatchObject({ code: 'timeout' })
  })
})

describe('a server that cannot be reached', () => {
  test.each(['read', 'change'] as const)('is tried three times for a %s', async (verb) => {
    const tried = world([UNSENT])
    expect(await settled(tried[verb]())).toEqual({
      ...{ code: 'unavailable', message: 'PostgreSQL cannot be reached: failed', cause: 'failed' },
    })
    expect(tried.attempts.map(({ atMs }) => atMs)).toEqual([0, 10, 30])
    expect(await settled(world([UNSENT, UNSENT, ANSWER])[verb]())).toEqual({ answer: 'yes' })
  })

  test('a read whose connection is cut is tried as often', async () => {
    const { read, attempts } = world([CUT])
    expect(await settled(read())).toMatchObject({ code: 'unavailable' })
    expect(attempts).toHaveLength(3)
  })
})

describe('a change whose connection was cut', () => {
  test('is repeated until its outcome is known, and says that it is a repetition', async () => {
    const { change, attempts } = world([BUSY, CUT, UNSENT, CUT, UNSENT, UNSENT, ANSWER])
    expect(await settled(change())).toEqual({ answer: 'yes' })
    expect(attempts.map(({ isRepeat }) => isRepeat)).toEqual([
      ...[false, false, true, true, true, true, true],
    ])
  })

  test('pauses longer each time, and no longer than 250 ms', async () => {
    const { change, attempts } = world([...Array(7).fill(CUT), ANSWER])
    await settled(change())
    expect(attempts.map(({ atMs }) => atMs)).toEqual([0, 10, 30, 70, 150, 310, 560, 810])
  })

  test('is repeated to the end of its time, and then its outcome is unknown', async () => {
    const { change, attempts } = world([CUT], 1_000)
    expect(await settled(change())).toEqual({
      ...{ code: 'outcome_unknown', cause: 'failed' },
      message: 'the answer was lost: the change may have been made',
    })
    expect(attempts.at(-1)?.atMs).toBe(810)
  })

  test('which was never sent is not repeated so', async () => {
    const { change, attempts } = world([{ ...CUT, wasSent: false }, ANSWER])
    await settled(change())
    expect(attempts.map(({ isRepeat }) => isRepeat)).toEqual([false, false])
  })
})

describe('a statement that is refused', () => {
  const REFUSED: Fate = { code: '23505', message: 'no' }

  test('is refused at once', async () => {
    const { change, attempts } = world([REFUSED])
    expect(await settled(change())).toEqual({
      ...{ code: 'refused', message: 'PostgreSQL refused the statement: no', cause: 'no' },
    })
    expect(attempts).toHaveLength(1)
  })

  test('without a server that has spoken is unavailable', async () => {
    const closed = { message: 'the pool was closed', wasSent: false }
    expect(await settled(world([closed]).read())).toMatchObject({ code: 'unavailable' })
    expect(await settled(world([CUT, closed]).read())).toMatchObject({ code: 'unavailable' })
    expect(await settled(world([UNSENT, closed]).change())).toMatchObject({ code: 'unavailable' })
  })
})

describe('a change that may have been made is never said to be refused', () => {
  const later: readonly Fate[] = [
    ...[{ code: '23505' }, { code: '57014' }, { code: '42501' }, { code: '25006' }],
    ...[
      { message: 'the pool was closed', wasSent: false },
      { code: 'ENOTFOUND', wasSent: false },
    ],
    ...[{ code: '28000', wasSent: false }, { code: 'XX000' }, { code: '57P03' }, { code: '53300' }],
  ]
  test.each(later)('after a cut, %j', async (fate) => {
    expect(await settled(world([CUT, fate]).change())).toMatchObject({ code: 'outcome_unknown' })
  })

  test.each(['58000', '58030', 'XX000'])('a pooler that lost the server says %s', async (code) => {
    const { change, attempts } = world([{ code }, ANSWER])
    expect(await settled(change())).toEqual({ answer: 'yes' })
    expect(attempts.map(({ isRepeat }) => isRepeat)).toEqual([false, true])
    expect(await settled(world([{ code }]).change())).toMatchObject({ code: 'outcome_unknown' })
    const read = world([{ code }])
    expect(await settled(read.read())).toMatchObject({ code: 'refused' })
    expect(read.attempts).toHaveLength(1)
  })
})

describe('a server that is read-only', () => {
  const READ_ONLY: Fate = { code: '25006', message: 'read-only' }

  test('is left for another, twice', async () => {
    expect(await settled(world([READ_ONLY, READ_ONLY, ANSWER]).read())).toEqual({ answer: 'yes' })
    expect(await settled(world([READ_ONLY, READ_ONLY, ANSWER]).change())).toEqual({ answer: 'yes' })
    const { read, attempts } = world([READ_ONLY])
    expect(await settled(read())).toEqual({
      ...{ code: 'not_primary', message: 'this server is a read replica: connect to the primary' },
      cause: 'read-only',
    })
    expect(attempts.map(({ atMs }) => atMs)).toEqual([0, 10, 30])
  })

  test('refuses a change: it may be a primary that is set to be read-only', async () => {
    expect(await settled(world([READ_ONLY]).change())).toMatchObject({
      ...{ code: 'refused', message: 'PostgreSQL refused the statement: read-only' },
    })
  })
})

describe('prepared statements that were lost', () => {
  const UNNAMED: Fate = { code: '26000' }

  test.each(['26000', '42P05', '0A000'])('are forgotten after %s, and not twice', async (code) => {
    const { read, box, attempts } = world([{ code }, ANSWER])
    expect(await settled(read())).toEqual({ answer: 'yes' })
    expect(box.forgotten).toBe(1)
    expect(attempts.map(({ atMs }) => atMs)).toEqual([0, 10])
    const other = world([BUSY, { code }, BUSY, { code }, ANSWER])
    expect(await settled(other.read())).toMatchObject({ code: 'refused', cause: 'failed' })
    expect(other.attempts).toHaveLength(4)
  })

  test('of a change are forgotten too, and what was refused is refused', async () => {
    const { change, attempts } = world([UNNAMED])
    expect(await settled(change())).toMatchObject({ code: 'refused' })
    expect(attempts).toHaveLength(2)
    expect(await settled(world([CUT, UNNAMED]).change())).toMatchObject({ code: 'outcome_unknown' })
  })

  test('other failures forget nothing', async () => {
    const { read, box } = world([BUSY, UNSENT, ANSWER])
    await settled(read())
    expect(box.forgotten).toBe(0)
  })
})

describe('a change that waits for its turn', () => {
  test.each([
    [5_000, 4_600],
    [300, 150],
  ])('for %i ms is not sent after %i ms', async (timeoutMs, latestMs) => {
    for (const [answeredMs, isSent] of [
      [latestMs - 1, true],
      [latestMs, false],
    ] as const) {
      const { changeInTurn, attempts } = world([{ ...ANSWER, afterMs: answeredMs }], timeoutMs)
      const others = [changeInTurn(), changeInTurn()]
      const outcome = await settled(changeInTurn())
      await Promise.all(others)
      expect(attempts).toHaveLength(isSent ? 3 : 2)
      if (!isSent) expect(outcome).toMatchObject({ code: 'timeout' })
    }
  })

  test('goes back to the end of its lane when it lost to another one', async () => {
    const { changeInTurn, attempts } = world([BUSY, BUSY, ANSWER])
    const outcomes = [changeInTurn(), changeInTurn(), changeInTurn()]
    expect(await settled(Promise.all(outcomes))).toEqual({ answer: ['yes', 'yes', 'yes'] })
    expect(attempts).toHaveLength(5)
  })

  test('with an unknown outcome says so', async () => {
    const { changeInTurn } = world([CUT, SILENCE], 1_000)
    expect(await settled(changeInTurn())).toMatchObject({ code: 'outcome_unknown' })
  })
})
