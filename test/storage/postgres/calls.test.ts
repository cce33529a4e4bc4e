import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { callsOf } from '../../../adapters/storage/lib/postgres/calls.ts'
import { type Answers, NoAnswer, NotSent } from '../../../adapters/storage/lib/postgres/driver.ts'
import type { Kind } from '../../../adapters/storage/lib/postgres/errors.ts'

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

const SILENCE: Fate = { afterMs: Number.POSITIVE_INFINITY }
const BUSY: Fate = { code: '40001' }
const UNSENT: Fate = { code: 'ECONNREFUSED' }
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
  const box = { forgotten: 0 }
  const attempts: { readonly atMs: number; readonly lockMs: string; readonly isChange: boolean }[] =
    []
  const startMs = performance.now()
  const limit = new AbortController()
  const { signal } = limit
  const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve))
  const driver = {
    send: ({ text }: { readonly text: string }, _deadline: unknown, isChange: boolean) => {
      const fate = fates[Math.min(attempts.length, fates.length - 1)] ?? {}
      attempts.push({ atMs: performance.now() - startMs, lockMs: text, isChange })
      return outcome(fate, aborted)
    },
    forgetNames: () => {
      box.forgotten += 1
    },
  }
  const calls = callsOf(driver)
  const deadline = { atMs: startMs + timeoutMs, signal }
  const abortAt = (ms: number) => setTimeout(() => limit.abort(), ms)
  if (timeoutMs < 2 ** 31) abortAt(timeoutMs)
  const make = (lockMs: string) => ({ text: lockMs, values: [] })
  const call = (kind: Kind) => calls.one(kind, make, deadline)
  return { box, attempts, calls, call, abortAt, passed: () => endedMs - startMs }
}

/** As a driver: what is not answered in time is late, or was never sent. */
function outcome(
  { answers, code, message = 'failed', wasSent = true, afterMs = 0 }: Fate,
  aborted: Promise<unknown>,
): Promise<Answers> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error) => reject(wasSent ? cause : new NotSent('not sent', { cause }))
    void aborted.then(() => fail(new NoAnswer('no answer')))
    if (!Number.isFinite(afterMs)) return
    setTimeout(() => {
      if (answers) resolve(answers)
      else fail(Object.assign(new Error(message), { code }))
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
  return seen
}

const KINDS: readonly Kind[] = ['read', 'change', 'write']
const CHANGES: readonly Kind[] = ['change', 'write']

test('an answer is the first row, or nothing; all rows where they are wanted', async () => {
  expect(await settled(world([{ answers: ['a', 'b'] }]).call('read'))).toEqual({ answer: 'a' })
  expect(await settled(world([{ answers: [] }]).call('write'))).toEqual({ answer: null })
  const { calls } = world([{ answers: ['a', 'b'] }])
  const all = calls.all('read', { text: '', values: [] }, { atMs: Number.POSITIVE_INFINITY })
  expect(await settled(all)).toEqual({ answer: ['a', 'b'] })
})

describe('no answer in time', () => {
  test('of a read, which is not tried again', async () => {
    const { call, attempts, passed } = world([SILENCE])
    expect(await settled(call('read'))).toEqual({
      ...{ code: 'timeout', message: 'PostgreSQL did not answer in time', cause: 'no answer' },
    })
    expect([passed(), attempts.length]).toEqual([5_000, 1])
  })

  test.each(CHANGES)('of a %s that was sent', async (kind) => {
    expect(await settled(world([SILENCE]).call(kind))).toEqual({
      ...{ code: 'outcome_unknown', cause: 'no answer' },
      message: 'the answer was lost: the change may have been made',
    })
  })

  test.each(CHANGES)('of a %s that still waited for a connection', async (kind) => {
    expect(await settled(world([{ ...SILENCE, wasSent: false }]).call(kind))).toEqual({
      ...{ code: 'timeout', message: 'PostgreSQL did not take the change in time' },
      cause: 'no answer',
    })
  })

  test.each(KINDS)(
    'of a %s for which no time was left, or which was given up before',
    async (kind) => {
      const { call, attempts, abortAt } = world([ANSWER], 0)
      expect(await settled(call(kind))).toMatchObject({
        code: 'timeout',
        cause: 'no time was left',
      })
      const given = world([ANSWER])
      given.abortAt(0)
      await vi.advanceTimersByTimeAsync(0)
      expect(await settled(given.call(kind))).toMatchObject({ code: 'timeout' })
      expect([attempts, given.attempts]).toEqual([[], []])
      abortAt(0)
    },
  )

  test.each([
    ['change', { ...BUSY, afterMs: 60 }, 'timeout'],
    ['change', { ...CUT, afterMs: 60 }, 'outcome_unknown'],
    ['write', { ...BUSY, afterMs: 60 }, 'timeout'],
  ] as const)('ends the pause of a %s after %j', async (kind, fate, code) => {
    const { call, attempts, passed, abortAt } = world([fate, ANSWER])
    abortAt(65)
    expect(await settled(call(kind))).toMatchObject({ code, cause: 'failed' })
    expect([passed(), attempts.length]).toEqual([65, 1])
  })
})

describe('the wait for a lock', () => {
  test('leaves time for the answer', async () => {
    const { call, attempts } = world([BUSY, ANSWER])
    await settled(call('write'))
    expect(attempts.map(({ lockMs }) => lockMs)).toEqual(['3000', '2994'])
  })

  test.each([
    [Number.POSITIVE_INFINITY, '2000'],
    [2 ** 40, '2147483647'],
    [1, '1'],
  ])('of a call with %d ms is %s ms', async (timeoutMs, lockMs) => {
    const { call, attempts } = world([ANSWER], timeoutMs)
    await settled(call('write'))
    expect(attempts).toMatchObject([{ lockMs }])
  })
})

describe('a server that was busy', () => {
  test.each(['40001', '40P01', '55P03', '23503'])(
    'with %s is tried again, later each time',
    async (code) => {
      const { call, attempts } = world([...Array(6).fill({ code }), ANSWER])
      expect(await settled(call('write'))).toEqual({ answer: 'yes' })
      expect(attempts.map(({ atMs }) => atMs)).toEqual([0, 10, 30, 70, 120, 170, 220])
    },
  )

  test('is tried again after half of that at least', async () => {
    vi.mocked(Math.random).mockReturnValue(0)
    const { call, attempts } = world([BUSY, BUSY, ANSWER])
    await settled(call('write'))
    expect(attempts.map(({ atMs }) => atMs)).toEqual([0, 5, 15])
  })

  test.each(CHANGES)(
    'all the time: a %s is not sent when too little time is left',
    async (kind) => {
      const { call, attempts } = world([BUSY], 1_000)
      expect(await settled(call(kind))).toEqual({
        ...{ code: 'busy', message: 'others were changing the same rows', cause: 'failed' },
      })
      // At 570 there are 430 ms left, and the next attempt would come at 620.
      expect(attempts.at(-1)?.atMs).toBe(570)
      expect(await settled(world([BUSY, ANSWER], 20).call(kind))).toMatchObject({ code: 'busy' })
      expect(await settled(world([BUSY, ANSWER], 21).call(kind))).toEqual({ answer: 'yes' })
    },
  )

  test('is read from as long as any time is left', async () => {
    expect(await settled(world([BUSY, ANSWER], 11).call('read'))).toEqual({ answer: 'yes' })
  })
})

describe('a server that cannot be reached', () => {
  test.each(KINDS)('is tried three times for a %s', async (kind) => {
    for (const fate of [UNSENT, { code: '57P03' }, { code: '53300' }, { ...CUT, wasSent: false }]) {
      const { call, attempts } = world([fate])
      expect(await settled(call(kind))).toEqual({
        ...{
          code: 'unavailable',
          message: 'PostgreSQL cannot be reached: failed',
          cause: 'failed',
        },
      })
      expect(attempts.map(({ atMs }) => atMs)).toEqual([0, 10, 30])
      expect(await settled(world([fate, fate, ANSWER]).call(kind))).toEqual({ answer: 'yes' })
    }
  })

  test('a read whose connection is cut is tried as often', async () => {
    const { call, attempts } = world([CUT])
    expect(await settled(call('read'))).toMatchObject({ code: 'unavailable' })
    expect(attempts).toHaveLength(3)
  })
})

const OPEN = [
  'ECONNRESET',
  '08006',
  '57P01',
  '57P02',
  '57P05',
  '25P04',
  '25P03',
  '58000',
  'XX000',
  '40003',
]

describe('a change whose answer was lost', () => {
  test.each(OPEN)(
    'with %s: a write is open at once, and its list is left to its caller',
    async (code) => {
      const { call, attempts } = world([{ code }, ANSWER])
      expect(await settled(call('write'))).toMatchObject({
        code: 'outcome_unknown',
        cause: 'failed',
      })
      expect(attempts).toHaveLength(1)
      expect(await settled(world([{ code }, ANSWER]).call('change'))).toEqual({ answer: 'yes' })
    },
  )

  test('is repeated to the end of its time where that has no second effect', async () => {
    const { call, attempts } = world([CUT], 1_000)
    expect(await settled(call('change'))).toMatchObject({
      code: 'outcome_unknown',
      cause: 'failed',
    })
    expect(attempts.map(({ atMs }) => atMs)).toEqual([0, 10, 30, 70, 150, 310, 560])
  })

  test.each<Fate>([
    ...[
      { code: '23505' },
      { code: '57014' },
      { code: '42501' },
      { code: '25006' },
      { code: '28000' },
    ],
    ...[{ message: 'the pool was closed', wasSent: false }, UNSENT, BUSY, { code: '26000' }],
  ])('is never said to be refused afterwards: %j', async (fate) => {
    expect(await settled(world([CUT, fate]).call('change'))).toMatchObject({
      code: 'outcome_unknown',
    })
  })
})

describe('a statement that is refused', () => {
  test.each([
    ['42501', 'refused', 'refused'],
    ['25P02', 'refused', 'refused'],
    ['42P01', 'refused', 'refused'],
    ['53100', 'refused', 'refused'],
    ['22012', 'refused', 'refused'],
    ['22P05', 'unstorable_value', 'refused'],
    ['23514', 'unstorable_value', 'refused'],
    ['P0001', 'unstorable_value', 'refused'],
    ['57014', 'timeout', 'timeout'],
  ])('with %s is %s at once, a read %s', async (code, ofChange, ofRead) => {
    for (const kind of KINDS) {
      const { call, attempts } = world([{ code }])
      const expected = kind === 'read' ? ofRead : ofChange
      expect(await settled(call(kind))).toMatchObject({ code: expected })
      expect(attempts).toHaveLength(1)
    }
  })
})

describe('a server that is read-only', () => {
  const READ_ONLY: Fate = { code: '25006', message: 'read-only' }

  test.each(KINDS)('is left for another by a %s, twice', async (kind) => {
    const found = world([READ_ONLY, READ_ONLY, ANSWER])
    expect(await settled(found.call(kind))).toEqual({ answer: 'yes' })
    expect(found.attempts.map(({ atMs }) => atMs)).toEqual([0, 10, 30])
    const message =
      kind === 'read'
        ? 'this server is a read replica: connect to the primary'
        : 'PostgreSQL refused the statement: read-only'
    const code = kind === 'read' ? 'not_primary' : 'refused'
    expect(await settled(world([READ_ONLY]).call(kind))).toEqual({
      code,
      message,
      cause: 'read-only',
    })
  })
})

describe('prepared statements that were lost', () => {
  test.each(['26000', '42P05', '0A000'])('are forgotten after %s, and not twice', async (code) => {
    for (const kind of KINDS) {
      const { call, box, attempts } = world([{ code }, ANSWER])
      expect(await settled(call(kind))).toEqual({ answer: 'yes' })
      expect([box.forgotten, attempts.length]).toEqual([1, 2])
      const other = world([BUSY, { code }, BUSY, { code }, ANSWER])
      expect(await settled(other.call(kind))).toMatchObject({ code: 'refused', cause: 'failed' })
      expect(other.attempts).toHaveLength(4)
    }
  })

  test('other failures forget nothing', async () => {
    const { call, box } = world([BUSY, UNSENT, ANSWER])
    await settled(call('read'))
    expect(box.forgotten).toBe(0)
  })
})
