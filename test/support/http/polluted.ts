/** Runs `work` while every object inherits a property, as after a prototype pollution. */
export async function polluted<T>(
  properties: Readonly<Record<string, unknown>>,
  work: () => Promise<T>,
): Promise<T> {
  for (const [name, value] of Object.entries(properties)) {
    const rest = { writable: true, enumerable: true, configurable: true }
    Object.defineProperty(Object.prototype, name, { value, ...rest })
  }
  try {
    return await work()
  } finally {
    for (const name of Object.keys(properties)) Reflect.deleteProperty(Object.prototype, name)
  }
}
