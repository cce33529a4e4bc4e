/** A command line or a config module that cannot be used: one line, exit code 2, nothing changed. */
export class UsageError extends Error {
  override get name(): 'UsageError' {
    return 'UsageError'
  }
}

/** Whether a text may hold a connection string, mistyped or in the wrong place: it is not repeated. */
export function mayHoldPassword(text: string): boolean {
  return /[:@]/.test(text)
}
