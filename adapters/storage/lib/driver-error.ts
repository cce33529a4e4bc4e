/* Errors of drivers, which may quote rows and parameters. */

/** A text in an error, or an empty one. */
export function textOf(error: unknown, name: string): string {
  const value: unknown = Object(error)[name]
  return typeof value === 'string' ? value : ''
}

/** A message without hashes, and without further lines, on which some wrappers of drivers append the parameters. */
export function firstLineOf(error: unknown): string {
  const [first = ''] = textOf(error, 'message').split('\n', 1)
  return first.replaceAll(/[0-9a-f]{32,}/gi, '…')
}

/** A copy of an error with this message and these of its fields, where they say anything. */
export function copied(error: unknown, message: string, fields: readonly string[]): Error {
  const copy = new Error(message || 'no message')
  for (const name of fields) {
    const value: unknown = Object(error)[name]
    if (typeof value !== 'string' && typeof value !== 'number') continue
    if (value) Object.defineProperty(copy, name, { value, enumerable: true })
  }
  return copy
}
