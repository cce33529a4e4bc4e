/**
 * A bare copy of an object's own enumerable properties, each read once: nothing inherited passes for input,
 * and a property that answers differently the second time is never read twice. A property that throws when
 * read is left `undefined`. Anything but an object is returned as it is.
 */
export function ownData(input: unknown): unknown {
  if (typeof input !== 'object' || input === null) return input
  try {
    return Array.isArray(input) ? input : copy(input)
  } catch {
    return undefined
  }
}

/** The same for an object of names; `null` for anything else. */
export function ownRecord(input: unknown): Readonly<Record<string, unknown>> | null {
  const data = ownData(input)
  const isRecord = typeof data === 'object' && data !== null && !Array.isArray(data)
  return isRecord ? (data as Readonly<Record<string, unknown>>) : null
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

/**
 * Reads a property of an object that the host, a framework or a driver made. The property may be the object's
 * own or come from its class, as getters do, but not from `Object.prototype`: a polluted prototype must not
 * supply a user, a key or a body. Returns `undefined` if there is no such property.
 */
export function propertyOf<T extends object, K extends keyof T & string>(
  object: T,
  name: K,
): T[K] | undefined {
  return hasProperty(object, name) ? object[name] : undefined
}

/** Whether an object or its class has a property; what only `Object.prototype` has does not count. */
export function hasProperty(object: object, name: string): boolean {
  let holder: object | null = object
  while (holder !== null && holder !== Object.prototype) {
    if (Object.hasOwn(holder, name)) return true
    holder = Object.getPrototypeOf(holder)
  }
  return false
}
