/**
 * Reads a property of an object that the host, a framework or a driver made. The property may be the
 * object's own or come from its class, as getters do, but not from `Object.prototype`: a polluted
 * prototype must not supply a user, a key or a body. Returns `undefined` if there is no such property.
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
