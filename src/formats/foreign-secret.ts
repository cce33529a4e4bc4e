import type { Context } from '../context.ts'
import { foreignHash, isDigest } from '../secret/key-format.ts'

/** A text that may be a key of another system. */
export interface ForeignSecret {
  readonly secret: string
  /** The id of its format. */
  readonly format: string
  /** The hash under which its key is stored. */
  readonly hash: string
}

/** What a text is by the first format whose test accepts it; `null` when none does. */
export function identify<S extends string>(
  { calls, settings: { formats } }: Context<S>,
  secret: string,
): ForeignSecret | null | Promise<ForeignSecret | null> {
  if (formats.length === 0) return null
  let id = ''
  return calls.run<unknown, ForeignSecret | null>(
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
