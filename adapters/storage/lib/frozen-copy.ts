/** A copy that nobody can change, of a value that JSON can hold. */
export function frozenCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as T
  const entries = Object.entries(value).map(([name, inner]) => [name, frozenCopy(inner)])
  return Object.freeze(Object.fromEntries(entries)) as T
}
