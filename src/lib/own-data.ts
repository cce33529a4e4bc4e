/**
 * A bare copy of an object's own enumerable properties, each read once: nothing inherited passes
 * for input, and a property that answers differently the second time is never read twice. A
 * property that throws when read is left `undefined`. Anything but an object is returned as it is.
 */
export function ownData(input: unknown): unknown {
  if (typeof input !== 'object' || input === null) return input
  try {
    return Array.isArray(input) ? input : copy(input)
  } catch {
    return undefined
  }
}

/** The options of a host, without anything inherited. */
export function ownOptions<T extends object>(options: T): T {
  return Object.assign(Object.create(null), options)
}

/** A copy of a list's first `most` items: without a bound, a sparse list could hold 2³² of them. */
export function ownItems(input: unknown, most: number): unknown {
  try {
    return Array.isArray(input) ? Array.from(input.slice(0, most)) : input
  } catch {
    return undefined
  }
}

function copy(input: object): Record<string, unknown> {
  const data = Object.create(null)
  for (const key of Object.keys(input)) data[key] = read(input, key)
  return data
}

function read(input: object, key: string): unknown {
  try {
    return (input as Readonly<Record<string, unknown>>)[key]
  } catch {
    return undefined
  }
}
