import type { StorageCall } from '../../../../src/storage/index.ts'
import { StorageError } from '../storage-error.ts'
import { isOf } from './driver.ts'

/** The longest pause between two attempts while another process holds the database. */
const MAX_PAUSE_MS = 25
/** How long work runs before the rest of the process gets a turn of the event loop. */
const SLICE_MS = 5

interface Waiting {
  readonly attempt: () => void
  readonly reject: (error: unknown) => void
  readonly call: StorageCall | undefined
  readonly endsMs: number
  /** Whether its promise is rejected as soon as the time of the call is over. */
  isWatched: boolean
}

/**
 * Runs work in the order of the calls, and retries it while the database is locked. Only the
 * first in the queue tries, so waiting costs the same however much waits. Work that finds the database
 * free runs at once, but not for longer than a slice without a turn of the event loop in between.
 */
export class LockQueue {
  readonly #waiting: Waiting[] = []
  /** What the driver threw if the last attempt found the database locked. */
  #lock: unknown = null
  #attempts = 0
  /** How long work has run since the last turn that this queue has waited for, or since it was idle. */
  #workedMs = 0
  #endedMs = 0

  /**
   * Work that still waits when the time of its call is over is not tried again: the promise rejects
   * with what the driver threw, or with `StorageError` (`timeout`) where other work took the time.
   */
  run<T>(work: () => T, call?: StorageCall): Promise<T> {
    return new Promise((resolve, reject) => {
      const nowMs = performance.now()
      if (nowMs - this.#endedMs > SLICE_MS) this.#workedMs = 0
      const endsMs = nowMs + (call?.timeoutMs ?? Number.POSITIVE_INFINITY)
      const waiting = { attempt: () => resolve(work()), reject, call, endsMs, isWatched: false }
      this.#waiting.push(waiting)
      if (this.#waiting.length === 1) this.#advance()
      else this.#watch(waiting)
    })
  }

  #advance(): void {
    for (let [first] = this.#waiting; first; [first] = this.#waiting) {
      const isOver = this.#workedMs > SLICE_MS
      if (isOver || this.#isLockedFor(first)) {
        this.#watch(first)
        setTimeout(() => this.#resume(), isOver ? 0 : this.#pauseMs())
        return
      }
      this.#waiting.shift()
    }
  }

  #resume(): void {
    this.#workedMs = 0
    this.#advance()
  }

  /** Whether the work has to wait. Otherwise its promise is settled. */
  #isLockedFor(work: Waiting): boolean {
    const startMs = performance.now()
    if (work.isWatched && (startMs >= work.endsMs || work.call?.signal.aborted)) {
      // The signal may be late: the core first looks at what has come.
      work.reject(this.#lock ?? outOfTime(work.call?.signal.reason))
      return false
    }
    try {
      work.attempt()
      this.#lock = null
    } catch (error) {
      if (isOf('BUSY', error)) {
        this.#lock = error
        return true
      }
      work.reject(error)
    }
    this.#attempts = 0
    this.#endedMs = performance.now()
    this.#workedMs += this.#endedMs - startMs
    return false
  }

  /** An abort signal costs more than most work does, so only work that waits asks for one. */
  #watch(work: Waiting): void {
    if (work.isWatched || work.call === undefined) return
    work.isWatched = true
    const { signal } = work.call
    const abort = () => work.reject(this.#lock ?? outOfTime(signal.reason))
    // An aborted signal has no further event.
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  }

  /** Longer with each attempt, with random jitter, so that processes that collided do not collide again. */
  #pauseMs(): number {
    const longestMs = Math.min(MAX_PAUSE_MS, 2 ** this.#attempts)
    this.#attempts += 1
    return Math.random() * longestMs
  }
}

function outOfTime(cause: unknown): StorageError {
  return new StorageError('timeout', 'the work before this call took all of its time', { cause })
}
