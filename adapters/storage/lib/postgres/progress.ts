import type { Deadline } from '../deadline.ts'
import type { StorageError } from '../storage-error.ts'
import {
  type Failure,
  failureOf,
  faultOf,
  notPrimary,
  sqlStateOf,
  whatWasRefused,
  withoutData,
} from './errors.ts'

/** How often a statement that could not reach the server is tried again. */
const UNREACHABLE_RETRIES = 2

/** A change that was held up is not sent when less time is left: a late answer would leave its outcome unknown. */
const LEAST_MS = 400

/** The server did not answer within the time of the call. */
export class NoAnswer extends Error {}

/** What to do before the next attempt. */
export interface NextAttempt {
  readonly pauseMs: number
  /** Whether it must not use a prepared statement. */
  readonly isUnnamed: boolean
}

/** A running call: what was tried, and whether to try again. */
export class Progress {
  readonly deadline: Deadline
  /** The last moment to send a change that had to wait for its turn. */
  readonly latestMs: number
  readonly #isChange: boolean
  #attempts = 0
  #mayHaveRun = false
  #lostItsNames = false

  constructor(deadline: Deadline, isChange: boolean) {
    this.deadline = deadline
    const leftMs = deadline.atMs - performance.now()
    this.latestMs = deadline.atMs - Math.min(LEAST_MS, leftMs / 2)
    this.#isChange = isChange
  }

  /** Whether an attempt may have run. */
  get mayHaveRun(): boolean {
    return this.#mayHaveRun
  }

  /** What to do after a failed attempt; throws a fault when the call is over. */
  after(error: unknown, wasSent: boolean): NextAttempt {
    const kind = failureOf(error, wasSent)
    this.#attempts += 1
    if (wasSent && (kind === 'lost' || kind === 'unclear')) this.#mayHaveRun = true
    if (error instanceof NoAnswer) throw this.timedOut(error)
    if (this.#isOver(kind)) throw this.#fault(kind, error)
    const isUnnamed = kind === 'unnamed'
    if (isUnnamed) this.#lostItsNames = true
    const pauseMs = pauseBefore(this.#attempts, kind === 'busy' ? 50 : 250)
    const leastMs = this.#isChange && !this.#mayHaveRun ? LEAST_MS : 0
    if (this.deadline.atMs - performance.now() - pauseMs <= leastMs) throw this.timedOut(error)
    return { pauseMs, isUnnamed }
  }

  /** The error of a call that has no time left. */
  timedOut(error: unknown): StorageError {
    if (!this.#isChange) return faultOf('timeout', 'PostgreSQL did not answer in time', error)
    if (this.#mayHaveRun) return unknown(error)
    return faultOf('timeout', 'PostgreSQL did not take the change in time', error)
  }

  #isOver(kind: Failure): boolean {
    if (kind === 'busy') return false
    if (kind === 'unnamed') return this.#lostItsNames
    if (kind === 'final') return true
    if (this.#isChange && this.#mayHaveRun) return false
    if (kind === 'unclear') return true
    return this.#attempts > UNREACHABLE_RETRIES
  }

  #fault(kind: Failure, error: unknown): StorageError {
    if (this.#isChange && this.#mayHaveRun) return unknown(error)
    // A read writes nothing, so only a standby refuses it as a write.
    if (kind === 'read_only' && !this.#isChange) return notPrimary(error)
    // Without a code the error is not the server's: the pool was closed, or could not connect.
    return sqlStateOf(error) === null || kind === 'lost' || kind === 'unreachable'
      ? faultOf('unavailable', `PostgreSQL cannot be reached: ${withoutData(error).message}`, error)
      : refused(error)
  }
}

/** Milliseconds: longer with each attempt, and partly random so that callers do not collide again. */
export function pauseBefore(attempts: number, longestMs: number): number {
  return Math.min(longestMs, 5 * 2 ** attempts) * (0.5 + Math.random() / 2)
}

function refused(error: unknown): StorageError {
  const { message } = withoutData(error)
  return faultOf('refused', `PostgreSQL refused the ${whatWasRefused(error)}: ${message}`, error)
}

function unknown(error: unknown): StorageError {
  const message = 'the answer was lost: the change may have been made'
  return faultOf('outcome_unknown', message, error)
}
