import { StorageError } from '../storage-error.ts'

/** A row as a driver returns it: its columns by name. */
export type SqlRow = Readonly<Record<string, unknown>>

export function rowFrom(value: unknown): SqlRow {
  if (isRow(value)) return value
  throw new StorageError('broken_row', 'the driver returned something that is not a row')
}

export function textIn(row: SqlRow, column: string): string {
  return textOf(row[column], column)
}

export function textOf(value: unknown, column: string): string {
  return typeof value === 'string' ? value : brokenColumn(column)
}

export function optionalTextIn(row: SqlRow, column: string): string | null {
  return row[column] === null ? null : textIn(row, column)
}

/** The whole number in a column; drivers return 64-bit integers in three different types. */
export function integerIn(row: SqlRow, column: string): number {
  const value = row[column]
  const isInteger =
    typeof value === 'bigint' || (typeof value === 'string' && /^-?\d+$/.test(value))
  const number = isInteger ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : brokenColumn(column)
}

export function optionalIntegerIn(row: SqlRow, column: string): number | null {
  return row[column] === null ? null : integerIn(row, column)
}

export function oneOfIn<T extends string>(row: SqlRow, column: string, allowed: readonly T[]): T {
  const text = textIn(row, column)
  return allowed.find((value) => value === text) ?? brokenColumn(column)
}

/** The JSON in a column; some drivers parse it themselves. */
function jsonIn(row: SqlRow, column: string): unknown {
  const value = row[column]
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return brokenColumn(column)
  }
}

export function textsIn(row: SqlRow, column: string): readonly string[] {
  return textsOf(jsonIn(row, column), column)
}

export function textsOf(value: unknown, column: string): readonly string[] {
  return Array.isArray(value) ? value.map((item) => textOf(item, column)) : brokenColumn(column)
}

/** `any` or a list of texts in a column, as JSON that the driver has parsed or not. */
export function networksIn(row: SqlRow, column: string): 'any' | readonly string[] {
  const value = row[column]
  return value === 'any' || value === '"any"' ? 'any' : textsIn(row, column)
}

/** The JSON object in a column, each of its values read. */
export function entriesIn<T>(
  row: SqlRow,
  column: string,
  read: (value: unknown, column: string) => T,
): Readonly<Record<string, T>> {
  const entries = Object.entries(objectIn(row, column))
  return Object.fromEntries(entries.map(([name, value]) => [name, read(value, column)]))
}

export function objectIn(row: SqlRow, column: string): SqlRow {
  const value = jsonIn(row, column)
  return isRow(value) ? value : brokenColumn(column)
}

/** Throws; the message names the column and never what is in it. */
export function brokenColumn(column: string): never {
  throw new StorageError('broken_row', `a stored row is invalid: column "${column}"`)
}

function isRow(value: unknown): value is SqlRow {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
