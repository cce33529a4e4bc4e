import type { ApiKeys } from '../api-keys.ts'
import { anyEntranceOf, type Checker } from '../authenticate/http-entrance.ts'

/**
 * The checks of the bodies that users of these keys send. Throws a `TypeError` for what `createApiKeys` has
 * not made.
 */
export function checkerOf<S extends string>(keys: ApiKeys<S>): Checker<S> {
  const entrance = anyEntranceOf<S>(keys)
  if (entrance !== undefined) return entrance.check
  throw new TypeError('checkerOf needs keys that createApiKeys has made.')
}
