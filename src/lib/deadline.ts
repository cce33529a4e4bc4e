import { outlivesRequests } from './runtime.ts'

/** One wait, a node of a ring, so that a settled wait leaves it at once and holds no memory. */
class Waiting {
  before: Waiting = this
  after: Waiting = this
  readonly dueMs: number
  readonly expire: () => void

  constructor(dueMs: number, expire: () => void) {
    this.dueMs = dueMs
    this.expire = expire
  }

  insertBefore(other: Waiting): void {
    this.before = other.before
    this.after = other
    other.before.after = this
    other.before = this
  }

  remove(): void {
    this.before.after = this.after
    this.after.before = this.before
  }
}

/**
 * Rejects what takes longer than one fixed time, with one timer for all: since every wait is equally
 * long, the waits end in the order in which they began. Where a timer ends with the request that
 * set it, each wait has its own.
 */
export class Deadline {
  readonly #timeoutMs: number
  readonly #sharesTimer: boolean
  readonly #ring = new Waiting(Number.POSITIVE_INFINITY, () => {})
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(timeoutMs: number, sharesTimer = outlivesRequests) {
    this.#timeoutMs = timeoutMs
    this.#sharesTimer = sharesTimer
  }

  /** The answer of `work`, or a rejection once the time is over. */
  limit<T>(work: Promise<T>): Promise<T> {
    return this.#sharesTimer ? this.#together(work) : this.#alone(work)
  }

  #alone<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(this.#late()), this.#timeoutMs)
      unref(timer)
      work.then(resolve, reject).finally(() => clearTimeout(timer))
    })
  }

  #together<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const waiting = this.#wait(() => reject(this.#late()))
      work.then(
        (answer) => {
          waiting.remove()
          resolve(answer)
        },
        (error: unknown) => {
          waiting.remove()
          reject(error)
        },
      )
    })
  }

  #late(): Error {
    return new Error(`no answer in ${this.#timeoutMs} ms`)
  }

  #wait(expire: () => void): Waiting {
    const waiting = new Waiting(performance.now() + this.#timeoutMs, expire)
    waiting.insertBefore(this.#ring)
    if (this.#timer === null) this.#schedule(this.#timeoutMs)
    return waiting
  }

  #schedule(delayMs: number): void {
    this.#timer = setTimeout(() => this.#sweep(), delayMs)
    unref(this.#timer)
  }

  #sweep(): void {
    this.#timer = null
    const nowMs = performance.now()
    let first = this.#ring.after
    while (first.dueMs <= nowMs) {
      first.remove()
      first.expire()
      first = this.#ring.after
    }
    if (first !== this.#ring) this.#schedule(Math.max(1, first.dueMs - nowMs))
  }
}

/** Lets a process end although a timer waits, where the runtime knows such a thing. */
export function unref(timer: ReturnType<typeof setTimeout>): void {
  const { unref } = timer as { readonly unref?: () => void }
  unref?.call(timer)
}
