/**
 * Reads a property of an object that the host, a framework or a driver made. The property may be the
 * object's own or come from its class, as getters do, but not from `Object.prototype`: a polluted
 * prototype must not supply a user, a key or a body. Returns `undefined` if there is no such property.
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
