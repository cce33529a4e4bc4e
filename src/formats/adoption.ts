import { type Context, same } from '../context.ts'
import { type ImportKey, importAdopted } from '../keys/import-keys.ts'
import { ApiKeyError, type ApiKeyErrorCode, type InputIssue } from '../model/errors.ts'
import type { ForeignSecret } from './foreign-keys.ts'
import { Overload } from './overload.ts'
import { Turns } from './turns.ts'

/** A key of another system, as `adopt` returns it: an `ImportKey` without format and digest. */
export type AdoptedKey<S extends string = string> = Omit<ImportKey<S>, 'format' | 'digest'>

/**
 * Asks the system that issued a key about it: the key to import, or `null` when it has no such key or
 * the key is dead there. A key that has expired, or whose workspace has been erased, counts as `null`.
 */
export type Adopt<S extends string = string> = (
  secret: string,
  format: string,
) => AdoptedKey<S> | null | Promise<AdoptedKey<S> | null>

/** Questions at once. The other system hashes slowly, or it would not be asked. */
const MOST_AT_ONCE = 4
const MOST_WAITING = 100
/** For how long and for how many texts a "no" is remembered. */
const NO_TTL_MS = 60_000
const MOST_REMEMBERED = 10_000

/** Why the description of a key amounts to a "no". */
const ENDED: readonly ApiKeyErrorCode[] = ['key_expired', 'workspace_erased']

/** Asks another system about keys that are not stored yet, and imports those that it knows. */
export class Adoption<S extends string> {
  readonly #context: Context<S>
  readonly #adopt: Adopt<S>
  /** Questions under way or waiting, by hash, so that the same one is asked once. */
  readonly #asked = new Map<string, Promise<boolean>>()
  readonly #turns = new Turns(MOST_AT_ONCE)
  readonly #overload: Overload
  /** When each "no" is forgotten, on the monotonic clock. */
  readonly #refused = new Map<string, number>()

  constructor(context: Context<S>, adopt: Adopt<S>) {
    this.#context = context
    this.#adopt = adopt
    this.#overload = new Overload(context)
  }

  /** Whether the other system knows the key, which is then imported. Throws an `OutageError`. */
  ask(foreign: ForeignSecret): Promise<boolean> {
    const { hash } = foreign
    if (this.#isRefused(hash)) return Promise.resolve(false)
    const earlier = this.#asked.get(hash)
    if (earlier !== undefined) return earlier
    if (this.#turns.waiting >= MOST_WAITING) {
      return Promise.reject(this.#overload.error(`${MOST_WAITING} requests are waiting`))
    }
    const answer = this.#adoptNow(foreign).finally(() => {
      this.#asked.delete(hash)
      // It still waits only if its time is over.
      this.#turns.leave(hash)
    })
    this.#asked.set(hash, answer)
    return answer
  }

  async #adoptNow(foreign: ForeignSecret): Promise<boolean> {
    const isStored = await this.#import(await this.#describe(foreign), foreign)
    if (!isStored) this.#remember(foreign.hash)
    return isStored
  }

  async #describe({ secret, format, hash }: ForeignSecret): Promise<unknown> {
    let hasBegun = false
    const adopt = () => {
      hasBegun = true
      return this.#adopt(secret, format)
    }
    try {
      // The turn ends when the host's function settles, also long after the time of the question.
      return await this.#context.askQuietly<unknown, unknown>(
        () => this.#turns.run(hash, adopt),
        same,
      )
    } catch (error) {
      if (hasBegun) throw this.#context.fault('adopt', error)
      throw this.#overload.error(`no turn in ${this.#context.settings.storageTimeoutMs} ms`)
    }
  }

  /** Whether the described key is stored: not where there is none, or one that has ended. */
  async #import(description: unknown, key: ForeignSecret): Promise<boolean> {
    if (description === null) return false
    try {
      await importAdopted(this.#context, description, key)
      return true
    } catch (error) {
      if (!(error instanceof ApiKeyError)) throw error
      if (ENDED.includes(error.code)) return false
      throw this.#context.fault('adopt', invalidKey(error.issues))
    }
  }

  #isRefused(hash: string): boolean {
    const untilMs = this.#refused.get(hash)
    if (untilMs === undefined) return false
    if (performance.now() < untilMs) return true
    this.#refused.delete(hash)
    return false
  }

  /** Forgets the oldest first: entries are in the order of their ends. */
  #remember(hash: string): void {
    this.#refused.set(hash, performance.now() + NO_TTL_MS)
    for (const oldest of this.#refused.keys()) {
      if (this.#refused.size <= MOST_REMEMBERED) return
      this.#refused.delete(oldest)
    }
  }
}

function invalidKey(issues: readonly InputIssue[]): TypeError {
  const problems = issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim())
  const list = problems.map((problem) => problem.replace(/\.$/, '')).join('; ')
  return new TypeError(`The key from adopt is invalid: ${list}.`)
}
