import type { Context } from '../context.ts'
import { Importer } from '../keys/importer.ts'
import { parseInput } from '../keys/input/parse.ts'
import { same } from '../lib/host-calls.ts'
import { ApiKeyError, type ApiKeyErrorCode, type InputIssue } from '../model/errors.ts'
import type { Adopt } from '../model/new-key.ts'
import type { ForeignSecret } from './foreign-secret.ts'
import { Overload } from './overload.ts'
import { type Answer, RememberedAnswers } from './remembered-answers.ts'
import { Semaphore } from './semaphore.ts'

/** Calls at once. The other system hashes slowly, or it would not be needed. */
const MOST_AT_ONCE = 4
const MOST_WAITING = 100

/** Why the description of a key amounts to a "no". */
const ENDED: readonly ApiKeyErrorCode[] = ['key_expired', 'workspace_erased']

/** Looks up keys that are not stored yet in another system, and imports those that it knows. */
export class Adoption<S extends string> {
  readonly #context: Context<S>
  readonly #adopt: Adopt<S>
  /** Lookups by hash, so that concurrent ones of a text share one. */
  readonly #pending = new Map<string, Promise<Answer>>()
  readonly #semaphore = new Semaphore(MOST_AT_ONCE)
  readonly #answers = new RememberedAnswers()
  readonly #overload: Overload

  constructor(context: Context<S>, adopt: Adopt<S>) {
    this.#context = context
    this.#adopt = adopt
    this.#overload = new Overload(context.calls)
  }

  /**
   * The hash of the key that the other system knows by this text: imported now, or before under
   * another text. `null` if there is none. Throws an `OutageError`.
   */
  hashOf(foreign: ForeignSecret): Promise<Answer> {
    const { hash } = foreign
    const remembered = this.#answers.get(hash)
    if (remembered !== undefined) return Promise.resolve(remembered)
    const earlier = this.#pending.get(hash)
    if (earlier !== undefined) return earlier
    if (this.#semaphore.waiting >= MOST_WAITING) {
      return Promise.reject(this.#overload.error(`${MOST_WAITING} requests are waiting`))
    }
    const answer = this.#adoptNow(foreign).finally(() => {
      this.#pending.delete(hash)
      // It still waits only if its time is over.
      this.#semaphore.leave(hash)
    })
    this.#pending.set(hash, answer)
    return answer
  }

  async #adoptNow(foreign: ForeignSecret): Promise<Answer> {
    const answer = await this.#import(await this.#describe(foreign), foreign)
    // A key that is stored under the hash of this text is found without a lookup.
    if (answer !== foreign.hash) this.#answers.add(foreign.hash, answer)
    return answer
  }

  async #describe({ secret, format, hash }: ForeignSecret): Promise<unknown> {
    let hasBegun = false
    const adopt = () => {
      hasBegun = true
      return this.#adopt(secret, format)
    }
    try {
      // The semaphore is released when the host's function settles, also long after the time limit.
      return await this.#context.calls.attempt<unknown, unknown>(
        () => this.#semaphore.run(hash, adopt),
        same,
      )
    } catch (error) {
      if (hasBegun) throw this.#context.calls.fault('adopt', error)
      throw this.#overload.error(`no turn in ${this.#context.settings.storageTimeoutMs} ms`)
    }
  }

  /** The hash of the described key: `null` without a key, or for a new one that has ended. */
  async #import(description: unknown, { format, hash }: ForeignSecret): Promise<Answer> {
    if (description === null) return null
    try {
      const fields = parseInput(this.#context.schemas.adopted, description)
      const importer = new Importer(this.#context, { actor: fields.creator, dryRun: false })
      return (await importer.store({ ...fields, format }, hash)).hash
    } catch (error) {
      if (!(error instanceof ApiKeyError)) throw error
      if (ENDED.includes(error.code)) return null
      throw this.#context.calls.fault('adopt', invalidKey(error.issues))
    }
  }
}

function invalidKey(issues: readonly InputIssue[]): TypeError {
  const problems = issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim())
  const list = problems.map((problem) => problem.replace(/\.$/, '')).join('; ')
  return new TypeError(`The key from adopt is invalid: ${list}.`)
}
