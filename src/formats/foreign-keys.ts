import type { Context } from '../context.ts'
import type { ReadKey } from '../storage/record.ts'
import { Adoption } from './adoption.ts'
import { foreignHash, isDigest } from './key-format.ts'

/** A text that may be a key of another system. */
export interface ForeignSecret {
  readonly secret: string
  /** The id of its format. */
  readonly format: string
  /** The hash under which its key is stored. */
  readonly hash: string
}

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
  async find(
    secret: string,
    find: (hash: string) => ReadKey<S> | null | Promise<ReadKey<S> | null>,
  ): Promise<ReadKey<S> | null | undefined> {
    const foreign = await this.identify(secret)
    if (foreign === null) return undefined
    const found = await find(foreign.hash)
    if (found !== null || this.#adoption === null) return found
    const hash = await this.#adoption.ask(foreign)
    return hash === null ? null : find(hash)
  }

  /** What a text is by the first format whose test accepts it. */
  identify(secret: string): ForeignSecret | null | Promise<ForeignSecret | null> {
    const { formats } = this.#context.settings
    let id = ''
    return this.#context.ask<unknown, ForeignSecret | null>(
      'formats',
      () => {
        const format = formats.find(({ test }) => test(secret))
        if (format === undefined) return null
        id = format.id
        return format.digest(secret)
      },
      (digest) => {
        if (id === '') return null
        if (isDigest(digest)) return { secret, format: id, hash: foreignHash(id, digest) }
        throw new TypeError(`Format "${id}": "digest" must return 1 to 1,024 characters.`)
      },
    )
  }
}
