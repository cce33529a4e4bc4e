import type { Deadline } from '../deadline.ts'
import { untilAborted } from '../deadline.ts'
import type { StorageError } from '../storage-error.ts'
import { NoAnswer } from './driver.ts'
import { failureOf, faultFrom, faultOf } from './errors.ts'

/** How often what could not reach the server is tried again. */
const UNREACHABLE_RETRIES = 2

/** A change that was held up is not sent when less time is left: a late answer would leave its outcome unknown. */
const LEAST_MS = 400

/** A running call: what was tried, and whether to try again. */
export class Progress {
  readonly deadline: Deadline
  /** The last moment to send a change that had to wait for its turn. */
  readonly latestMs: number
  /** Whether a transaction may have been committed whose answer was lost. */
  mayHaveRun = false
  #attempts = 0
  #unreachable = 0

  constructor(deadline: Deadline) {
    this.deadline = deadline
    const leftMs = deadline.atMs - performance.now()
    this.latestMs = deadline.atMs - Math.min(LEAST_MS, leftMs / 2)
  }

  /** Runs attempts until one answers, or throws a `StorageError` that says what became of the call. */
  async run<T>(attempt: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await attempt()
      } catch (error) {
        const pauseMs = this.#after(error)
        await untilAborted(this.deadline.signal, pause(pauseMs), () => this.timedOut(error))
      }
    }
  }

  /** The error of a call that has no time left. */
  timedOut(cause: unknown): StorageError {
    if (this.mayHaveRun) return unknown(cause)
    return faultOf('timeout', 'the database did not answer in time: nothing was changed', cause)
  }

  #after(error: unknown): number {
    this.#attempts += 1
    if (error instanceof NoAnswer) throw this.timedOut(error)
    const kind = failureOf(error)
    if (kind !== 'busy') this.#unreachable += 1
    const isOver = kind === 'final' || (!this.mayHaveRun && this.#unreachable > UNREACHABLE_RETRIES)
    if (isOver) throw this.mayHaveRun ? unknown(error) : faultFrom(error)
    const pauseMs = pauseBefore(this.#attempts, kind === 'busy' ? 50 : 250)
    if (this.deadline.atMs - performance.now() <= pauseMs) throw this.timedOut(error)
    return pauseMs
  }
}

/** Milliseconds: longer with each attempt, and partly random so that callers do not collide again. */
function pauseBefore(attempts: number, longestMs: number): number {
  return Math.min(longestMs, 2 ** attempts) * (0.5 + Math.random() / 2)
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function unknown(cause: unknown): StorageError {
  const message = 'the answer was lost: the change may have been made'
  return faultOf('outcome_unknown', message, cause)
}
