import type { SqlRow } from '../row.ts'
import type { SqlValue } from '../sql/work.ts'
import type { Tables } from './tables.ts'

/** Pages of a database whose order is that of one column with an index. */
export function pagesByOrder(rows: Tables['rows']): Tables['pages'] {
  return async function* ({ sql, order }, size) {
    let after: SqlValue | undefined
    for (;;) {
      const beyond = after === undefined ? '' : `AND ${order} > ?`
      const text = `${sql} ${beyond} ORDER BY ${order} LIMIT ${size}`
      const page = await rows(text, after === undefined ? [] : [after])
      if (page.length > 0) yield page
      if (page.length < size) return
      after = lastOf(page)
    }
  }
}

/** Rows that have a place are in the order of places, and others in that of ids. */
function lastOf(page: readonly SqlRow[]): SqlValue {
  const last = page.at(-1) ?? {}
  return (last['place'] ?? last['id'] ?? null) as SqlValue
}
