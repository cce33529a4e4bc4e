import { OutageError } from '../model/errors.ts'
import { CHANGING_CALLS } from '../storage/methods.ts'
import { isPromise, type Limit, type StorageCall, withinTime } from './within-time.ts'

export interface Outage {
  readonly at: Date
  /** Which call failed. */
  readonly operation: string
  readonly error: unknown
}

/**
 * Calls what the host has given: its storage, its functions and its clock. A call that fails or takes too
 * long is reported once and becomes an {@link OutageError}.
 */
export class HostCalls {
  readonly #limits: { readonly read: Limit; readonly change: Limit }
  readonly #nowMs: () => number
  #onOutage: ((outage: Outage) => void) | null

  constructor(options: {
    readonly timeoutMs: number
    /** The host's clock. */
    readonly nowMs: () => number
    readonly onOutage: ((outage: Outage) => void) | null
  }) {
    const { timeoutMs, nowMs, onOutage } = options
    this.#limits = { read: { timeoutMs, lateAnswer: 'refused' }, change: { timeoutMs } }
    this.#nowMs = nowMs
    this.#onOutage = onOutage
  }

  /**
   * Makes a call within the time limit and reads its answer. A failure of either, or an answer that `read`
   * refuses, is an outage; so is one that comes too late, unless it says how a change ended. Comes without a
   * promise where the answer does.
   */
  run<T, R>(
    operation: string,
    work: (call: StorageCall) => T | Promise<T>,
    read: (answer: T) => R,
  ): R | Promise<R> {
    try {
      const answer = withinTime(this.#limitOf(operation), work)
      return isPromise(answer) ? this.#readLater(operation, answer, read) : read(answer)
    } catch (error) {
      throw this.fault(operation, error)
    }
  }

  /** Like `run`, but throws a failure as it is and does not report it. `timeoutMs`: another limit. */
  async attempt<T, R>(
    operation: string,
    work: (call: StorageCall) => T | Promise<T>,
    read: (answer: T) => R,
    timeoutMs?: number,
  ): Promise<R> {
    const limit = this.#limitOf(operation)
    return read(await withinTime(timeoutMs === undefined ? limit : { ...limit, timeoutMs }, work))
  }

  #limitOf(operation: string): Limit {
    return CHANGING_CALLS.has(operation) ? this.#limits.change : this.#limits.read
  }

  /** The host's clock. */
  clockMs(): number {
    try {
      return this.#nowMs()
    } catch (error) {
      throw this.fault('now', error)
    }
  }

  /** Reports an outage and returns the error to throw. */
  fault(operation: string, error: unknown): OutageError {
    this.#onOutage?.({ at: this.#outageTime(), operation, error })
    return new OutageError(operation, error)
  }

  /** Reports what was thrown, except an {@link OutageError}: that was reported when it was made. */
  report(operation: string, error: unknown): void {
    if (!(error instanceof OutageError)) this.fault(operation, error)
  }

  /** Sets the listener for outages, unless there is one already. */
  listen(onOutage: (outage: Outage) => void): void {
    this.#onOutage ??= onOutage
  }

  /** The clock of the host may itself be what fails. */
  #outageTime(): Date {
    try {
      return new Date(this.#nowMs())
    } catch {
      return new Date()
    }
  }

  async #readLater<T, R>(
    operation: string,
    answer: Promise<T>,
    read: (answer: T) => R,
  ): Promise<R> {
    try {
      return read(await answer)
    } catch (error) {
      throw this.fault(operation, error)
    }
  }
}

export function same<T>(answer: T): T {
  return answer
}

/** Goes on with an answer of our own: at once when it is known, otherwise when its promise resolves. */
export function andThen<T, R>(
  answer: T | Promise<T>,
  next: (answer: T) => R | Promise<R>,
): R | Promise<R> {
  return answer instanceof Promise ? answer.then(next) : next(answer)
}
