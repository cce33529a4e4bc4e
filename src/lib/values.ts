/** Whether two values that JSON can hold are equal, in whatever order their entries are. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (!isObject(one) || !isObject(other)) return false
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]))
  )
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

export function defined<T extends object>(
  values: T,
): { readonly [Name in keyof T]: Exclude<T[Name], undefined> } {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as { readonly [Name in keyof T]: Exclude<T[Name], undefined> }
}

export const HOUR_MS = 3_600_000

/** A day of 24 hours in milliseconds, as every day in UTC has them. */
export const DAY_MS = 24 * HOUR_MS

export function hourAt(atMs: number): number {
  return Math.floor(atMs / HOUR_MS)
}

export function dayAt(atMs: number): number {
  return Math.floor(atMs / DAY_MS)
}

/** The names of a table, with their types. */
export function namesOf<const Table extends object>(
  table: Table,
): readonly (keyof Table & string)[] {
  return Object.keys(table) as (keyof Table & string)[]
}
