import type { StorageError } from '../storage-error.ts'
import { Alarms } from './alarms.ts'
import type { Answers, Driver, Sending, Statement } from './driver.ts'
import { type Failure, failureOf, faultOf, sqlStateOf, withoutData } from './errors.ts'

/** The instant of `performance.now()` by which a call has answered or rejected. */
export type Deadline = number

/** Runs statements to an answer or to an error that says what became of them. */
export interface Calls {
  readonly deadline: () => Deadline
  /** A statement that changes nothing and answers one row. */
  readonly read: (statement: Statement, deadline: Deadline) => Promise<string | null>
  /** A statement that changes nothing. */
  readonly readAll: (statement: Statement, deadline: Deadline) => Promise<Answers>
  /** A statement whose repetition changes nothing more; repeated until its outcome is known. */
  readonly change: (
    statement: (attempt: Attempt) => Statement,
    deadline: Deadline,
  ) => Promise<string | null>
}

/** One attempt to have a statement carried out. */
export interface Attempt {
  /** Whether an attempt before this one may have been carried out. */
  readonly isRepeat: boolean
  /** Milliseconds until the call has to answer. */
  readonly leftMs: number
}

/** How often a statement that the server could not take is tried again. */
const UNREACHABLE_RETRIES = 2

/** A change is not sent when less time is left: its answer would come late and leave it unclear. */
const LEAST_MS = 400

/** A running call: what has been tried. */
interface Progress {
  readonly deadline: Deadline
  readonly isChange: boolean
  attempts: number
  mayHaveRun: boolean
}

/** `timeoutMs` is the time from the call to its answer or error, whatever the server does. */
export function callsOf(driver: Driver, timeoutMs: number, alarms = new Alarms()): Calls {
  const run = async (
    statement: (attempt: Attempt) => Statement,
    progress: Progress,
  ): Promise<Answers> => {
    for (;;) {
      const leftMs = progress.deadline - performance.now()
      if (leftMs <= 0) throw timedOut(progress, new Error('no time was left for an attempt'))
      const sending = driver.send(statement({ isRepeat: progress.mayHaveRun, leftMs }), leftMs)
      try {
        return await answerBy(sending, progress.deadline, alarms)
      } catch (error) {
        await afterFailure(error, sending.wasSent(), progress, driver)
      }
    }
  }
  const readAll = (statement: Statement, deadline: Deadline) =>
    run(() => statement, { deadline, isChange: false, attempts: 0, mayHaveRun: false })
  return {
    deadline: () => performance.now() + timeoutMs,
    readAll,
    read: async (statement, deadline) => first(await readAll(statement, deadline)),
    change: async (statement, deadline) =>
      first(await run(statement, { deadline, isChange: true, attempts: 0, mayHaveRun: false })),
  }
}

function first([answer = null]: Answers): string | null {
  return answer
}

class NoAnswer extends Error {}

function answerBy(sending: Sending, deadline: Deadline, alarms: Alarms): Promise<Answers> {
  return new Promise((resolve, reject) => {
    const alarm = alarms.set(deadline, () => {
      sending.abandon()
      reject(new NoAnswer('the server did not answer in time'))
    })
    sending.answers.then(
      (answers) => {
        alarms.clear(alarm)
        resolve(answers)
      },
      (error: unknown) => {
        alarms.clear(alarm)
        reject(error)
      },
    )
  })
}

/** Returns when the statement is to be tried again, and throws when the call is over. */
async function afterFailure(
  error: unknown,
  wasSent: boolean,
  progress: Progress,
  driver: Driver,
): Promise<void> {
  const kind = failureOf(error, wasSent)
  progress.attempts += 1
  if (kind === 'lost' && wasSent) progress.mayHaveRun = true
  if (error instanceof NoAnswer) throw timedOut(progress, error)
  if (kind === 'unnamed') driver.forgetNames()
  else if (kind === 'final') throw refused(error, progress)
  else if (isExhausted(kind, progress)) throw unavailable(error)
  const pause = pauseBefore(kind, progress.attempts)
  const leastMs = progress.isChange && !progress.mayHaveRun ? LEAST_MS : 0
  if (progress.deadline - performance.now() - pause <= leastMs) throw timedOut(progress, error)
  await new Promise((resolve) => setTimeout(resolve, pause))
}

function isExhausted(kind: Failure, progress: Progress): boolean {
  if (kind === 'busy') return false
  if (progress.isChange && progress.mayHaveRun) return false
  return progress.attempts > UNREACHABLE_RETRIES
}

/** Longer with each attempt and partly random, so that those who met once do not meet again. */
function pauseBefore(kind: Failure, attempts: number): number {
  if (kind === 'unnamed') return 0
  const longest = Math.min(kind === 'busy' ? 50 : 250, 5 * 2 ** attempts)
  return longest * (0.5 + Math.random() / 2)
}

function timedOut(progress: Progress, error: unknown): StorageError {
  if (!progress.isChange) return faultOf('timeout', 'PostgreSQL did not answer in time', error)
  return progress.mayHaveRun
    ? faultOf('outcome_unknown', 'the answer was lost: the change may have been made', error)
    : faultOf('timeout', 'PostgreSQL did not take the change in time', error)
}

function refused(error: unknown, progress: Progress): StorageError {
  const { message } = withoutData(error)
  // Without a code no server has spoken: the pool was closed, or could not make a connection.
  const isAnswer = sqlStateOf(error) !== null || progress.mayHaveRun
  return faultOf(
    isAnswer ? 'refused' : 'unavailable',
    `PostgreSQL refused the statement: ${message}`,
    error,
  )
}

function unavailable(error: unknown): StorageError {
  return faultOf('unavailable', 'PostgreSQL cannot be reached', error)
}
