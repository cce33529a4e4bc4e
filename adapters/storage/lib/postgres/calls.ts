import type { ChangeQueue } from '../change-queue.ts'
import { type Deadline, untilAborted } from '../deadline.ts'
import { NoAnswer, Progress } from '../progress.ts'
import type { Answers, Driver, Sending, Statement } from './driver.ts'
import { ERRORS } from './errors.ts'

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
  const attempt = async (statement: (attempt: Attempt) => Statement, progress: Progress) => {
    const { atMs, signal } = progress.deadline
    const leftMs = atMs - performance.now()
    if (leftMs <= 0 || signal?.aborted) throw new NoAnswer('no time was left')
    const sending = driver.send(statement({ isRepeat: progress.mayHaveRun, leftMs }), leftMs)
    try {
      return await answersOf(sending, signal)
    } catch (error) {
      progress.wasSent = sending.wasSent()
      if (ERRORS.failureOf(error, true) === 'unnamed') driver.forgetNames()
      throw error
    }
  }
  const readAll = (statement: Statement, deadline: Deadline) => {
    const progress = new Progress(ERRORS, deadline, false)
    return queue.runRead(() => progress.run(() => attempt(() => statement, progress)))
  }
  return {
    readAll,
    read: async (statement, deadline) => first(await readAll(statement, deadline)),
    change: async (statement, deadline, lane) => {
      const progress = new Progress(ERRORS, deadline, true)
      const work = () => attempt(statement, progress)
      const inTurn = () => (lane === undefined ? work() : queue.run(progress.turnIn(lane), work))
      return first(await progress.run(inTurn))
    },
  }
}

function first([answer = null]: Answers): string | null {
  return answer
}

function answersOf(sending: Sending, signal: AbortSignal | undefined): Promise<Answers> {
  return untilAborted(signal, sending.answers, () => {
    sending.abandon()
    return new NoAnswer('the server did not answer in time')
  })
}
