/** Whether a value that came from outside is text. */
export function isText(value: unknown): value is string {
  return typeof value === 'string'
}

/** The own fields of a value that came from outside; none of what is no object. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
