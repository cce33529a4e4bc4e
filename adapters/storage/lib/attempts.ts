import { type Deadline, untilAborted } from './deadline.ts'
import type { StorageError, StorageErrorCode } from './storage-error.ts'

/** What a call does: a `change` can be repeated without a second effect, a `write` only by who decided it. */
export type Kind = 'read' | 'change' | 'write'

/**
 * What a failed attempt says.
 * - `busy`: it lost to another transaction.
 * - `open`: it may have run.
 * - `passing`: it did not run; this server or connection cannot take it at the moment, another one may.
 * - `final`: it did not run, and would not run the next time either.
 */
export type Failure = 'busy' | 'open' | 'passing' | 'final'

/** The server did not answer within the time of the call. */
export class NoAnswer extends Error {}

/** How the errors of a database are read. */
export interface Faults {
  readonly database: string
  /** `wasSent`: whether it was too late to say that nothing has run. */
  readonly failureOf: (error: unknown, wasSent: boolean) => Failure
  /** The error of a call that failed for good, with nothing changed. */
  readonly faultFrom: (error: unknown, kind: Kind) => StorageError
  /** An error whose cause is the driver's error without the data that it may quote. */
  readonly faultOf: (code: StorageErrorCode, message: string, cause: unknown) => StorageError
  /** How often a write that lost to another transaction is sent again before it is decided afresh. */
  readonly busyWrites: number
}

/** How often what could not reach the server is tried again. */
const RETRIES = 2

/** A change is not sent again when less time is left: a late answer would leave its outcome unknown. */
const LEAST_MS = 400

/**
 * Runs attempts until one answers, or throws a `StorageError` that states the outcome of the call. An attempt
 * calls `sent` when whatever fails from then on may have run.
 */
export async function attempts<T>(
  of: Faults,
  kind: Kind,
  deadline: Deadline,
  attempt: (sent: () => void) => Promise<T>,
): Promise<T> {
  const leftMs = () => deadline.atMs - performance.now()
  const leastMs = kind === 'read' ? 0 : Math.min(LEAST_MS, leftMs() / 2)
  let isOpen = false
  let retries = 0

  const late = (error: unknown) => {
    if (isOpen) return unknownOutcome(of, error)
    const what = kind === 'read' ? 'answer' : 'take the change'
    return of.faultOf('timeout', `${of.database} did not ${what} in time`, error)
  }
  const fault = (error: unknown, failure: Failure) => {
    if (isOpen) return unknownOutcome(of, error)
    if (failure !== 'busy') return of.faultFrom(error, kind)
    return of.faultOf('busy', 'others were changing the same rows', error)
  }
  const isOver = (failure: Failure, count: number) => {
    if (failure === 'final' || (isOpen && kind === 'write')) return true
    if (failure === 'busy') return kind === 'write' && count > of.busyWrites
    return !isOpen && retries >= RETRIES
  }

  for (let count = 1; ; count += 1) {
    let wasSent = false
    const sent = () => {
      wasSent = true
    }
    try {
      if (leftMs() <= 0 || deadline.signal?.aborted) throw new NoAnswer('no time was left')
      return await attempt(sent)
    } catch (error) {
      const failure = of.failureOf(error, wasSent)
      if (failure === 'open' && kind !== 'read') isOpen = true
      if (error instanceof NoAnswer || leftMs() <= 0) throw late(error)
      if (isOver(failure, count)) throw fault(error, failure)
      if (failure !== 'busy') retries += 1
      // Partly random, so that callers do not collide again.
      const longestMs = Math.min(failure === 'busy' ? 50 : 250, 5 * 2 ** count)
      const pauseMs = longestMs * (0.5 + Math.random() / 2)
      if (leftMs() - pauseMs <= leastMs) throw fault(error, failure)
      await untilAborted(deadline.signal, pause(pauseMs), () => late(error))
    }
  }
}

/** A connection of a pool. One that comes after the time is over is given back. */
export function connected<C>(
  { atMs, signal }: Deadline,
  connect: () => Promise<C>,
  giveBack: (connection: C) => void,
): Promise<C> {
  let isLate = atMs <= performance.now()
  const late = () => {
    isLate = true
    return new NoAnswer('no connection was free in time')
  }
  if (isLate) return Promise.reject(late())
  const connecting = connect()
  connecting.then((connection) => isLate && giveBack(connection)).catch(() => undefined)
  return untilAborted(signal, connecting, late)
}

export function unknownOutcome({ faultOf }: Pick<Faults, 'faultOf'>, cause: unknown): StorageError {
  return faultOf('outcome_unknown', 'the answer was lost: the change may have been made', cause)
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
