import { refuseUnknown } from '../../../src/lib/known-names.ts'

/** Whether an option is true or false; others are checked where they are used. */
type Kinds<T> = Readonly<Record<keyof T, 'boolean' | 'other'>>

/**
 * The options without anything inherited. Throws a `TypeError` for one that is not known, or not true
 * or false where it must be.
 */
export function checkOptions<T extends object>(caller: string, options: T, kinds: Kinds<T>): T {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`${caller}: options must be an object.`)
  }
  refuseUnknown(options, Object.keys(kinds), `${caller}: there is no option`)
  for (const [name, value] of Object.entries(options)) {
    const isBoolean = kinds[name as keyof T] === 'boolean'
    if (isBoolean && value !== undefined && typeof value !== 'boolean') {
      throw new TypeError(`${caller}: option "${name}" must be true or false.`)
    }
  }
  return Object.assign(Object.create(null), options)
}
