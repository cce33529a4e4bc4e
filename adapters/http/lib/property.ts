/**
 * A property of an object that the host, a framework or a driver has made. A class may have it, as
 * getters do. What `Object.prototype` has is never the object's: a polluted prototype must not name
 * a user, a key or a body.
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

/** The options of a host, without what `Object.prototype` may have. */
export function ownOptions<T extends object>(options: T): T {
  return Object.assign(Object.create(null), options)
}
