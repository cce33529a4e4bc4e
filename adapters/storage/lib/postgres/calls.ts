import { Alarms } from './alarms.ts'
import type { Answers, Driver, Sending, Statement } from './driver.ts'
import { type Deadline, NoAnswer, Progress } from './progress.ts'

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

/** `timeoutMs` is the time from the call to its answer or error, whatever the server does. */
export function callsOf(driver: Driver, timeoutMs: number, alarms = new Alarms()): Calls {
  const run = async (
    statement: (attempt: Attempt) => Statement,
    progress: Progress,
  ): Promise<Answers> => {
    for (;;) {
      const leftMs = progress.deadline - performance.now()
      if (leftMs <= 0) throw progress.timedOut(new Error('no time was left for an attempt'))
      const sending = driver.send(statement({ isRepeat: progress.mayHaveRun, leftMs }), leftMs)
      try {
        return await answerBy(sending, progress.deadline, alarms)
      } catch (error) {
        const { pauseMs, isUnnamed } = progress.after(error, sending.wasSent())
        if (isUnnamed) driver.forgetNames()
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }
    }
  }
  const readAll = (statement: Statement, deadline: Deadline) =>
    run(() => statement, new Progress(deadline, false))
  return {
    deadline: () => performance.now() + timeoutMs,
    readAll,
    read: async (statement, deadline) => first(await readAll(statement, deadline)),
    change: async (statement, deadline) =>
      first(await run(statement, new Progress(deadline, true))),
  }
}

function first([answer = null]: Answers): string | null {
  return answer
}

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
