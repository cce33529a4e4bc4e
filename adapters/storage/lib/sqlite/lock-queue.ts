import { isBusy } from './driver.ts'

/** The longest pause between two attempts while another process holds the database. */
const MAX_PAUSE_MS = 25
/** How long queued work runs before the rest of the process gets a turn. */
const SLICE_MS = 10

interface Waiting {
  /** Throws what the work throws. */
  readonly attempt: () => void
  readonly reject: (error: unknown) => void
  readonly askedMs: number
  /** Whether it stood behind other work when it was asked for. */
  readonly isQueued: boolean
}

/**
 * Runs work in the order it was asked for, again while the database is locked. Only the first in the
 * queue tries, so that waiting costs the same however much waits, and nothing blocks the process. All
 * work has the same patience, so the first in the queue also expires first.
 */
export class LockQueue {
  readonly #patienceMs: number
  readonly #waiting: Waiting[] = []
  /** What the driver threw when the database was last found locked, and when that was. */
  #lock: unknown = null
  #lockedMs = Number.NEGATIVE_INFINITY
  #attempts = 0

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs
  }

  /**
   * Work that waits for longer than the patience, counted from `askedMs` of `performance.now()`, is not
   * tried any more: the promise rejects with what the driver threw.
   */
  run<T>(work: () => T, askedMs: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const isQueued = this.#waiting.length > 0
      this.#waiting.push({ attempt: () => resolve(work()), reject, askedMs, isQueued })
      if (!isQueued) this.#advance()
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
    // What has not met the lock itself may be late only because the process was busy: it is tried.
    const hasWaited = work.isQueued || this.#lockedMs >= work.askedMs
    if (hasWaited && this.#isExpired(work)) {
      work.reject(this.#lock)
      return false
    }
    try {
      work.attempt()
      this.#attempts = 0
      return false
    } catch (error) {
      return this.#hasToWait(work, error)
    }
  }

  #hasToWait(work: Waiting, error: unknown): boolean {
    if (isBusy(error)) {
      this.#lock = error
      this.#lockedMs = performance.now()
      if (!this.#isExpired(work)) return true
    }
    work.reject(error)
    return false
  }

  #isExpired({ askedMs }: Waiting): boolean {
    return performance.now() - askedMs >= this.#patienceMs
  }

  /** Longer with each attempt and partly random, so that those who met once do not meet again. */
  #pauseMs(): number {
    const longestMs = Math.min(MAX_PAUSE_MS, 2 ** this.#attempts)
    this.#attempts += 1
    return Math.random() * longestMs
  }
}
