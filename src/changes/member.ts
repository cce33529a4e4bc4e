import { unref } from '../lib/within-time.ts'
import type { Change, Changed, Decision } from './change.ts'
import { lateError, takenError } from './failures.ts'

type Decided = Decision<unknown> | { readonly error: unknown }

export class Member {
  readonly change: Change<unknown>
  readonly endMs: number
  readonly #caller: Caller
  #decided: Decided = { answer: undefined, step: null }
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Whether its time was up before it was decided. */
  isGone = false

  constructor(change: Change<unknown>, caller: Caller) {
    this.change = change
    this.endMs = caller.endMs
    this.#caller = caller
  }

  /** How many keys it writes at most: those that it reads, and a new one. */
  get keys(): number {
    return this.isGone ? 0 : this.change.ids.length + 1
  }

  waitUntilLate(): void {
    const timer = setTimeout(() => {
      this.isGone = true
      this.fail(lateError())
    }, this.endMs - performance.now())
    unref(timer)
    this.#timer = timer
  }

  stopWaiting(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer)
  }

  /** What `make` throws is its own: the others of the batch are decided without it. */
  decide(make: () => Decision<unknown>): void {
    try {
      this.#decided = make()
    } catch (error) {
      this.#decided = { error }
    }
  }

  finish(stored: { readonly isLogged: boolean } | null): void {
    const decided = this.#decided
    if ('error' in decided) {
      this.#caller.reject(decided.error)
      return
    }
    const isLogged = decided.step !== null && stored?.isLogged === true
    this.#caller.resolve({ ...decided, answer: decided.answer as never, isLogged })
  }

  fail(error: unknown, operation?: 'read'): void {
    this.#caller.fail(error, operation)
  }

  taken(): void {
    const { ifTaken } = this.change
    if (ifTaken === undefined) this.fail(takenError())
    else this.#caller.resolve({ answer: ifTaken as never, step: null, isLogged: false })
  }
}

interface Caller {
  readonly endMs: number
  readonly resolve: (changed: Changed<never>) => void
  readonly reject: (error: unknown) => void
  /** Reports an outage and rejects with it. */
  readonly fail: (error: unknown, operation?: 'read') => void
}
