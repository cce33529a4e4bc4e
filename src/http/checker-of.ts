import type { ApiKeys } from '../api-keys.ts'
import { anyEntranceOf } from '../authenticate/http-entrance.ts'
import type { Checker } from '../keys/input/checker.ts'

/**
 * The checks of the bodies that users of these keys send. Throws a `TypeError` for what `createApiKeys` has
 * not made.
 */
export function checkerOf<S extends string>(keys: ApiKeys<S>): Checker<S> {
  const entrance = anyEntranceOf<S>(keys)
  if (entrance !== undefined) return entrance.check
  throw new TypeError('checkerOf needs keys that createApiKeys has made.')
}
