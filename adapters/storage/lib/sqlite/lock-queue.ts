import type { StorageCall } from '../../../../src/storage/index.ts'
import { isBusy } from './driver.ts'

/** The longest pause between two attempts while another process holds the database. */
const MAX_PAUSE_MS = 25
/** How long queued work runs before the rest of the process gets a turn. */
const SLICE_MS = 10

interface Waiting {
  /** Throws what the work throws. */
  readonly attempt: () => void
  readonly reject: (error: unknown) => void
  readonly call: StorageCall | undefined
  /** Whether its promise is rejected as soon as the time of the call is over. */
  isWatched: boolean
}

/**
 * Runs work in the order in which it was asked for, again while the database is locked. Only the
 * first in the queue tries, so waiting costs the same however much waits, and nothing blocks the
 * process.
 */
export class LockQueue {
  readonly #waiting: Waiting[] = []
  /** What the driver threw when the database was last found locked. */
  #lock: unknown = null
  #attempts = 0

  /**
   * Work that still waits when the time of its call is over is not tried again: the promise rejects
   * with what the driver threw.
   */
  run<T>(work: () => T, call?: StorageCall): Promise<T> {
    return new Promise((resolve, reject) => {
      const waiting = { attempt: () => resolve(work()), reject, call, isWatched: false }
      this.#waiting.push(waiting)
      if (this.#waiting.length === 1) this.#advance()
      else this.#watch(waiting)
    })
  }

  #advance(): void {
    const endsMs = performance.now() + SLICE_MS
    for (let [first] = this.#waiting; first; [first] = this.#waiting) {
      const isOver = performance.now() > endsMs
      if (isOver || this.#isLockedFor(first)) {
        setTimeout(() => this.#advance(), isOver ? 0 : this.#pauseMs())
        return
      }
      this.#waiting.shift()
    }
  }

  /** Whether the work has to wait. Otherwise it is settled. */
  #isLockedFor(work: Waiting): boolean {
    if (work.isWatched && work.call?.signal.aborted) return false
    try {
      work.attempt()
      this.#attempts = 0
      return false
    } catch (error) {
      if (!isBusy(error)) {
        work.reject(error)
        return false
      }
      this.#lock = error
      this.#watch(work)
      return true
    }
  }

  /** An abort signal costs more than most work does, so only work that waits asks for one. */
  #watch(work: Waiting): void {
    if (work.isWatched || work.call === undefined) return
    work.isWatched = true
    const { signal } = work.call
    signal.addEventListener('abort', () => work.reject(this.#lock ?? signal.reason), { once: true })
  }

  /** Longer with each attempt, with random jitter, so that processes that collided do not collide again. */
  #pauseMs(): number {
    const longestMs = Math.min(MAX_PAUSE_MS, 2 ** this.#attempts)
    this.#attempts += 1
    return Math.random() * longestMs
  }
}
