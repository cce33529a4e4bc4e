import { type Deadline, untilAborted } from '../deadline.ts'
import type { StorageError } from '../storage-error.ts'
import { type Answers, type Driver, NoAnswer, NotSent, type Statement } from './driver.ts'
import { type Failure, failureOf, faultFrom, faultOf, type Kind } from './errors.ts'

/** Runs statements until they answer or fail with a `StorageError` that says what became of them. */
export interface Calls {
  readonly all: (kind: Kind, statement: Make, deadline: Deadline) => Promise<Answers>
  /** The only answer. */
  readonly one: (kind: Kind, statement: Make, deadline: Deadline) => Promise<string | null>
}

/** A statement, with as long as it may wait for a lock, in milliseconds. */
export type Make = Statement | ((lockMs: string) => Statement)

/** How often what could not reach the server is tried again. */
const RETRIES = 2

/** A change is not sent again when less time is left: a late answer would leave its outcome unknown. */
const LEAST_MS = 400

/** Runs statements through a driver. */
export function callsOf(driver: Driver): Calls {
  const all: Calls['all'] = async (kind, make, deadline) => {
    const call = new Call(kind, deadline)
    for (;;) {
      try {
        const statement = typeof make === 'function' ? make(lockMsOf(call.leftMs())) : make
        call.checkTime()
        return await driver.send(statement, deadline, kind !== 'read')
      } catch (error) {
        if (failureOf(error) === 'unnamed') driver.forgetNames()
        const pauseMs = call.pauseAfter(error)
        await untilAborted(deadline.signal, pause(pauseMs), () => call.timedOut(error))
      }
    }
  }
  return { all, one: async (...call) => (await all(...call))[0] ?? null }
}

/** A running call: what was tried, and whether to try again. */
class Call {
  readonly #kind: Kind
  readonly #deadline: Deadline
  readonly #leastMs: number
  #attempts = 0
  #retries = 0
  #mayHaveRun = false
  #lostItsNames = false

  constructor(kind: Kind, deadline: Deadline) {
    this.#kind = kind
    this.#deadline = deadline
    this.#leastMs = kind === 'read' ? 0 : Math.min(LEAST_MS, this.leftMs() / 2)
  }

  leftMs(): number {
    return this.#deadline.atMs - performance.now()
  }

  checkTime(): void {
    if (this.leftMs() > 0 && !this.#deadline.signal?.aborted) return
    throw new NotSent('not sent', { cause: new NoAnswer('no time was left') })
  }

  /** How long to wait before the next attempt; throws if there is none. */
  pauseAfter(thrown: unknown): number {
    const wasSent = !(thrown instanceof NotSent)
    const error = wasSent ? thrown : thrown.cause
    const found = failureOf(error)
    const failure: Failure = found === 'open' && !wasSent ? 'unreachable' : found
    if (failure === 'open' && this.#kind !== 'read') this.#mayHaveRun = true
    if (error instanceof NoAnswer || this.leftMs() <= 0) throw this.timedOut(error)
    if (this.#isOver(failure)) throw this.#fault(error)
    if (failure === 'unnamed') this.#lostItsNames = true
    if (failure !== 'busy') this.#retries += 1
    this.#attempts += 1
    // Partly random, so that callers do not collide again.
    const longestMs = Math.min(failure === 'busy' ? 50 : 250, 5 * 2 ** this.#attempts)
    const pauseMs = longestMs * (0.5 + Math.random() / 2)
    if (this.leftMs() - pauseMs > this.#leastMs) return pauseMs
    if (failure !== 'busy' || this.#mayHaveRun) throw this.timedOut(error)
    throw faultOf('busy', 'others were changing the same rows', error)
  }

  #isOver(failure: Failure): boolean {
    if (failure === 'busy') return false
    if (failure === 'unnamed') return this.#lostItsNames
    if (failure === 'final') return true
    return this.#mayHaveRun ? this.#kind === 'write' : this.#retries >= RETRIES
  }

  #fault(error: unknown): StorageError {
    return this.#mayHaveRun ? unknownOutcome(error) : faultFrom(error, this.#kind)
  }

  timedOut(error: unknown): StorageError {
    if (this.#mayHaveRun) return unknownOutcome(error)
    const what = this.#kind === 'read' ? 'answer' : 'take the change'
    return faultOf('timeout', `PostgreSQL did not ${what} in time`, error)
  }
}

/** The error of a change that may have been made. */
export function unknownOutcome(cause: unknown): StorageError {
  return faultOf('outcome_unknown', 'the answer was lost: the change may have been made', cause)
}

/** The longest wait for a lock that PostgreSQL takes. */
const LONGEST_LOCK_MS = 2 ** 31 - 1

/** Leaves time for the answer that the wait for a lock failed. */
function lockMsOf(leftMs: number): string {
  if (!Number.isFinite(leftMs)) return '2000'
  return String(Math.min(Math.max(1, Math.floor(leftMs * 0.6)), LONGEST_LOCK_MS))
}

/** Waits so long. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
