import { hexOf } from '../sql/hash-bytes.ts'
import type { Sql, SqlValue } from '../sql/sql.ts'

export function literalSql({ text, values }: Sql): string {
  const [first = '', ...rest] = text.split('?')
  if (rest.length !== values.length) {
    throw new RangeError(`${values.length} values for ${rest.length} parameters: ${text}`)
  }
  return first + rest.map((piece, at) => literal(values[at] ?? null) + piece).join('')
}

const UTF8 = new TextEncoder()

/**
 * A value as a literal. Texts are hexadecimal: no setting of a session (its charset, `NO_BACKSLASH_ESCAPES`) reads
 * that in another way, and it compares as bytes.
 */
function literal(value: SqlValue): string {
  if (value === null) return 'NULL'
  if (typeof value === 'number') return String(value)
  return `X'${hexOf(typeof value === 'string' ? UTF8.encode(value) : value)}'`
}
