import { type Deadline, untilAborted } from '../deadline.ts'
import type { StorageError } from '../storage-error.ts'
import { failureOf, faultFrom, faultOf, type Kind, NoAnswer } from './errors.ts'

/** How often what could not reach the server, or a write that lost to another transaction, is tried again. */
const RETRIES = 2

/** A change is not tried again when less time is left: a late answer would leave its outcome unknown. */
const LEAST_MS = 400

/**
 * Runs attempts until one answers, or throws a `StorageError` that states the outcome of the call. An attempt
 * calls `sent` when it sends its COMMIT: until then whatever fails has changed nothing.
 */
export async function attempts<T>(
  kind: Kind,
  deadline: Deadline,
  attempt: (sent: () => void) => Promise<T>,
): Promise<T> {
  const call = new Call(kind, deadline)
  for (;;) {
    let wasSent = false
    const sent = () => {
      wasSent = true
    }
    try {
      return await attempt(sent)
    } catch (error) {
      const pauseMs = call.pauseAfter(error, wasSent)
      await untilAborted(deadline.signal, pause(pauseMs), () => call.timedOut(error))
    }
  }
}

/** A running call: what was tried, and whether to try again. */
class Call {
  readonly #kind: Kind
  readonly #deadline: Deadline
  #attempts = 0
  #retries = 0
  #mayHaveRun = false

  constructor(kind: Kind, deadline: Deadline) {
    this.#kind = kind
    this.#deadline = deadline
  }

  /** How long to wait before the next attempt; throws if there is none. */
  pauseAfter(error: unknown, wasSent: boolean): number {
    const failure = failureOf(error)
    const isLost = wasSent && failure !== 'busy'
    if (isLost) this.#mayHaveRun = true
    if (error instanceof NoAnswer) throw this.timedOut(error)
    if (this.#isOver(isLost ? 'unreachable' : failure)) throw this.#fault(error)
    this.#attempts += 1
    if (failure !== 'busy') this.#retries += 1
    // Partly random, so that callers do not collide again.
    const longestMs = Math.min(failure === 'busy' ? 50 : 250, 5 * 2 ** this.#attempts)
    const pauseMs = longestMs * (0.5 + Math.random() / 2)
    const leftMs = this.#deadline.atMs - performance.now() - pauseMs
    if (leftMs <= (this.#kind === 'read' ? 0 : LEAST_MS)) throw this.#fault(error)
    return pauseMs
  }

  /** A write that may have run is repeated by who decided it, and one that keeps losing is decided afresh. */
  #isOver(failure: ReturnType<typeof failureOf>): boolean {
    if (this.#kind === 'write' && this.#mayHaveRun) return true
    if (failure === 'busy') return this.#kind === 'write' && this.#attempts >= RETRIES
    return failure === 'final' || this.#retries >= RETRIES
  }

  #fault(error: unknown): StorageError {
    return this.#mayHaveRun ? unknownOutcome(error) : faultFrom(error, this.#kind)
  }

  timedOut(error: unknown): StorageError {
    if (this.#mayHaveRun) return unknownOutcome(error)
    const what = this.#kind === 'read' ? 'answer' : 'take the change'
    return faultOf('timeout', `the database did not ${what} in time`, error)
  }
}

function unknownOutcome(cause: unknown): StorageError {
  return faultOf('outcome_unknown', 'the answer was lost: the change may have been made', cause)
}

/** Waits so long. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
