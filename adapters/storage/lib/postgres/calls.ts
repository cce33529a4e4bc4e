import type { ChangeQueue } from '../change-queue.ts'
import { type Deadline, untilAborted } from '../deadline.ts'
import type { Answers, Driver, Sending, Statement } from './driver.ts'
import { NoAnswer, Progress } from './progress.ts'

/** Runs statements until they answer or fail with an error that states their outcome. */
export interface Calls {
  /** A statement that changes nothing and answers one row. */
  readonly read: (statement: Statement, deadline: Deadline) => Promise<string | null>
  /** A statement that changes nothing. */
  readonly readAll: (statement: Statement, deadline: Deadline) => Promise<Answers>
  /**
   * A statement that can be repeated without a second effect; repeated until its outcome is known.
   * Each attempt waits for its turn in the lane, if there is one.
   */
  readonly change: (
    statement: (attempt: Attempt) => Statement,
    deadline: Deadline,
    lane?: string,
  ) => Promise<string | null>
}

/** One attempt to run a statement. */
export interface Attempt {
  /** Whether an earlier attempt may have run. */
  readonly isRepeat: boolean
  /** Milliseconds until the call has to answer; `Infinity` without a limit. */
  readonly leftMs: number
}

/** Runs statements through a driver, and tries those again that the server could not run. */
export function callsOf(driver: Driver, queue: ChangeQueue): Calls {
  const attempt = async (
    statement: (attempt: Attempt) => Statement,
    progress: Progress,
  ): Promise<Outcome> => {
    const { atMs, signal } = progress.deadline
    const leftMs = atMs - performance.now()
    if (leftMs <= 0 || signal?.aborted) throw progress.timedOut(new Error('no time was left'))
    const sending = driver.send(statement({ isRepeat: progress.mayHaveRun, leftMs }), leftMs)
    try {
      return { answers: await answersOf(sending, signal) }
    } catch (error) {
      const { pauseMs, isUnnamed } = progress.after(error, sending.wasSent())
      if (isUnnamed) driver.forgetNames()
      return { error, pauseMs }
    }
  }
  const run = async (work: () => Promise<Outcome>, progress: Progress): Promise<Answers> => {
    for (;;) {
      const outcome = await work()
      if ('answers' in outcome) return outcome.answers
      const { error, pauseMs } = outcome
      await untilAborted(progress.deadline.signal, pause(pauseMs), () => progress.timedOut(error))
    }
  }
  const readAll = (statement: Statement, deadline: Deadline) => {
    const progress = new Progress(deadline, false)
    return queue.runRead(() => run(() => attempt(() => statement, progress), progress))
  }
  return {
    readAll,
    read: async (statement, deadline) => first(await readAll(statement, deadline)),
    change: async (statement, deadline, lane) => {
      const progress = new Progress(deadline, true)
      const work = () => attempt(statement, progress)
      if (lane === undefined) return first(await run(work, progress))
      const late = () => progress.timedOut(new Error('too many changes were waiting'))
      const turn = { lane, latestMs: progress.latestMs, signal: deadline.signal, late }
      return first(await run(() => queue.run(turn, work), progress))
    },
  }
}

/** What came of one attempt: its answer, or an error and the pause before the next attempt. */
type Outcome = { readonly answers: Answers } | { readonly error: unknown; readonly pauseMs: number }

function first([answer = null]: Answers): string | null {
  return answer
}

function answersOf(sending: Sending, signal: AbortSignal | undefined): Promise<Answers> {
  return untilAborted(signal, sending.answers, () => {
    sending.abandon()
    return new NoAnswer('the server did not answer in time')
  })
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
