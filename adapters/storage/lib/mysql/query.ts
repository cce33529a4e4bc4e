import { hexOf } from '../sql/hash-bytes.ts'
import type { SqlStatement, SqlValue } from '../sql/work.ts'

/** Which part of an answer is needed: the first row, all rows, or how many rows were changed. */
type Part = 'get' | 'all' | 'run'

/** A statement that is ready to run. Work yields it, and gets its answer back. */
export class Query {
  readonly sql: string
  readonly part: Part

  constructor(text: string, values: readonly SqlValue[], part: Part) {
    const [first = '', ...rest] = text.split('?')
    if (rest.length !== values.length) {
      throw new RangeError(`${values.length} values for ${rest.length} parameters: ${text}`)
    }
    this.sql = first + rest.map((piece, at) => literal(values[at] ?? null) + piece).join('')
    this.part = part
  }
}

/** A statement with `?` for its values, and no other question mark. */
export function statement(text: string): SqlStatement {
  return {
    get: (...values) => new Query(text, values, 'get'),
    all: (...values) => new Query(text, values, 'all'),
    run: (...values) => new Query(text, values, 'run'),
  }
}

/** A statement that answers what is made of its values: other statements, or work of several. */
export function made(make: (...values: SqlValue[]) => unknown): SqlStatement {
  return { get: make, all: make, run: make }
}

const UTF8 = new TextEncoder()

/**
 * A value as a literal. Texts are hexadecimal, which no setting of a session (`NO_BACKSLASH_ESCAPES`,
 * its charset) reads in another way, and which compares as bytes.
 */
export function literal(value: SqlValue): string {
  if (value === null) return 'NULL'
  if (typeof value === 'number') return String(value)
  const bytes = typeof value === 'string' ? UTF8.encode(value) : value
  return `X'${hexOf(bytes)}'`
}

/** A parameter that is compared or searched as text. */
export const AS_TEXT = 'CONVERT(? USING utf8mb4)'
