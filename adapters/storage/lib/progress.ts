import type { ChangeTurn } from './change-queue.ts'
import { type Deadline, untilAborted } from './deadline.ts'
import type { Failure, ServerErrors } from './server-errors.ts'
import { StorageError } from './storage-error.ts'

/** How often what could not reach the server is tried again. */
const UNREACHABLE_RETRIES = 2

/** A change that was held up is not sent when less time is left: a late answer would leave its outcome unknown. */
const LEAST_MS = 400

/** The server did not answer within the time of the call. */
export class NoAnswer extends Error {}

/** A running call on a server: what was tried, and whether to try again. */
export class Progress {
  readonly deadline: Deadline
  /** Set by an attempt: whether it may have changed something, should it fail. */
  wasSent = false
  readonly #errors: ServerErrors
  readonly #isChange: boolean
  /** The last moment to send a change that had to wait for its turn. */
  readonly #latestMs: number
  #attempts = 0
  #unreachable = 0
  #mayHaveRun = false
  #lostItsNames = false

  constructor(errors: ServerErrors, deadline: Deadline, isChange: boolean) {
    this.#errors = errors
    this.deadline = deadline
    const leftMs = deadline.atMs - performance.now()
    this.#latestMs = deadline.atMs - Math.min(LEAST_MS, leftMs / 2)
    this.#isChange = isChange
  }

  /** Whether an attempt may have changed something. */
  get mayHaveRun(): boolean {
    return this.#mayHaveRun
  }

  /** When the call may be sent, among the changes of a lane. */
  turnIn(lane: string): ChangeTurn {
    const late = () => new NoAnswer('too many changes were waiting')
    return { lane, latestMs: this.#latestMs, signal: this.deadline.signal, late }
  }

  /** Runs attempts until one answers, or throws a `StorageError` that states the outcome of the call. */
  async run<T>(attempt: () => Promise<T>): Promise<T> {
    for (;;) {
      this.wasSent = false
      try {
        return await attempt()
      } catch (error) {
        const pauseMs = this.#pauseAfter(error)
        await untilAborted(this.deadline.signal, pause(pauseMs), () => this.#timedOut(error))
      }
    }
  }

  #pauseAfter(error: unknown): number {
    const kind = this.#errors.failureOf(error, this.wasSent)
    this.#attempts += 1
    if (kind !== 'busy') this.#unreachable += 1
    if (this.wasSent && (kind === 'lost' || kind === 'unclear')) this.#mayHaveRun = true
    if (error instanceof NoAnswer) throw this.#timedOut(error)
    if (this.#isOver(kind)) throw this.#fault(kind, error)
    if (kind === 'unnamed') this.#lostItsNames = true
    const pauseMs = pauseBefore(this.#attempts, kind === 'busy' ? 50 : 250)
    const leastMs = this.#isChange && !this.#mayHaveRun ? LEAST_MS : 0
    if (this.deadline.atMs - performance.now() - pauseMs <= leastMs) throw this.#timedOut(error)
    return pauseMs
  }

  #isOver(kind: Failure): boolean {
    if (kind === 'busy') return false
    if (kind === 'unnamed') return this.#lostItsNames
    if (kind === 'final') return true
    if (this.#mayHaveRun && this.#isChange) return false
    return kind === 'unclear' || this.#unreachable > UNREACHABLE_RETRIES
  }

  #fault(kind: Failure, error: unknown): StorageError {
    if (this.#isChange && this.#mayHaveRun) return this.#unknown(error)
    return error instanceof StorageError
      ? error
      : this.#errors.faultFrom(error, { kind, isChange: this.#isChange })
  }

  #timedOut(cause: unknown): StorageError {
    if (this.#isChange && this.#mayHaveRun) return this.#unknown(cause)
    const what = this.#isChange ? 'take the change' : 'answer'
    return this.#errors.faultOf('timeout', `${this.#errors.server} did not ${what} in time`, cause)
  }

  #unknown(cause: unknown): StorageError {
    const message = 'the answer was lost: the change may have been made'
    return this.#errors.faultOf('outcome_unknown', message, cause)
  }
}

/** Milliseconds: longer with each attempt, and partly random so that callers do not collide again. */
export function pauseBefore(attempts: number, longestMs: number): number {
  return Math.min(longestMs, 5 * 2 ** attempts) * (0.5 + Math.random() / 2)
}

/** Waits so long. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
