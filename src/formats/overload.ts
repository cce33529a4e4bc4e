import type { HostCalls } from '../lib/host-calls.ts'
import { OutageError } from '../model/errors.ts'

const REPORT_EVERY_MS = 10_000

/**
 * Requests that were refused because too many wait for `adopt`. Strangers can send any number: the
 * first is reported, and then at most one each 10 seconds, with the number of requests since.
 */
export class Overload {
  readonly #calls: Pick<HostCalls, 'fault'>
  #refused = 0
  /** On the monotonic clock. */
  #nextReportMs = 0

  constructor(calls: Pick<HostCalls, 'fault'>) {
    this.#calls = calls
  }

  /** The error for one more request. */
  error(message: string): OutageError {
    this.#refused += 1
    const cause = new Error(message)
    const nowMs = performance.now()
    if (nowMs < this.#nextReportMs) return new OutageError('adoptQueue', cause)
    const outage = this.#calls.fault('adoptQueue', cause, { count: this.#refused })
    this.#refused = 0
    this.#nextReportMs = nowMs + REPORT_EVERY_MS
    return outage
  }
}
