import type { Context } from '../context.ts'
import { Adoption } from './adoption.ts'
import { identify } from './foreign-secret.ts'

/** Finds the keys that other systems issued. */
export class ForeignKeys<S extends string> {
  readonly #context: Context<S>
  readonly #adoption: Adoption<S> | null

  constructor(context: Context<S>) {
    this.#context = context
    const { adopt } = context.settings
    this.#adoption = adopt === null ? null : new Adoption(context, adopt)
  }

  /**
   * The key of a text that is no secret of miftah's own, looked up by `find`: `null` when no key has
   * it, `undefined` when it is in no known format. Throws an `OutageError` when a function of a
   * format fails.
   */
  async find<T>(
    secret: string,
    find: (hash: string) => T | null | Promise<T | null>,
  ): Promise<T | null | undefined> {
    const foreign = await identify(this.#context, secret)
    if (foreign === null) return undefined
    const found = await find(foreign.hash)
    if (found !== null || this.#adoption === null) return found
    const hash = await this.#adoption.hashOf(foreign)
    return hash === null ? null : find(hash)
  }
}
