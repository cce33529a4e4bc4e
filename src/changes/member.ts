import { unref } from '../lib/within-time.ts'
import { UNCHANGED_CODES } from '../storage/methods.ts'
import type { Change, Changed, Decision } from './change.ts'

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

/** Whether a failure of a write says that nothing is stored. */
export function isDefinite(error: unknown): boolean {
  return UNCHANGED_CODES.has(Object(error).code)
}

/** Whether the same change may be stored when it is tried again at once. */
export function isBusy(error: unknown): boolean {
  return Object(error).code === 'busy'
}

/** The time of a change is up, and nothing of it is stored. */
export function lateError(): Error {
  return withCode('timeout', 'There was no answer in time. Nothing was changed.')
}

/** More changes wait than the process takes. */
export function crowdedError(): Error {
  return withCode('busy', 'Too many changes wait for the storage. Nothing was changed.')
}

/** The time of a change is up, and nobody knows whether it is stored. */
export function unknownError(cause: unknown): Error {
  if (Object(cause).code === 'outcome_unknown') return cause as Error
  return withCode('outcome_unknown', 'The answer was lost. The change may have been made.', cause)
}

function withCode(code: string, message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, cause === undefined ? {} : { cause }), { code })
}

/** The id, the hash or the `replaces` of a new key is that of another key. */
export function takenError(): Error {
  return withCode(
    'refused',
    'Another key has the id or the hash of the new one. Nothing was changed.',
  )
}
