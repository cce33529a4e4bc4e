/**
 * A property of an object made by the host, a framework or a driver. It may be inherited from a class,
 * as getters are, but not from `Object.prototype`: a polluted prototype must not supply a user, a key
 * or a body.
 */
export function propertyOf<T extends object, K extends keyof T & string>(
  object: T,
  name: K,
): T[K] | undefined {
  let holder: object | null = object
  while (holder !== null && holder !== Object.prototype) {
    if (Object.hasOwn(holder, name)) return object[name]
    holder = Object.getPrototypeOf(holder)
  }
  return undefined
}

/** The options of a host, without anything inherited from `Object.prototype`. */
export function ownOptions<T extends object>(options: T): T {
  return Object.assign(Object.create(null), options)
}
