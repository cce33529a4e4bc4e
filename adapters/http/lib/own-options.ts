/** The options of a host, without anything inherited from `Object.prototype`. */
export function ownOptions<T extends object>(options: T): T {
  return Object.assign(Object.create(null), options)
}
