/** Throws a `TypeError` for an option that is neither a function nor left out. */
export function assertFunctions(caller: string, options: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && typeof value !== 'function') {
      throw new TypeError(`${caller}: option "${name}" must be a function.`)
    }
  }
}
