/** A command line or a config module that cannot be used: one line, exit code 2, nothing changed. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
