import type { ResourceFilter } from '../../../../src/storage/index.ts'
import type { Dialect, Table } from '../sql/dialect.ts'
import { joined, raw, type Sql, type SqlValue, sql } from '../sql/sql.ts'

/** The server's clock in microseconds since the epoch, whatever the time zone of the session. */
export const NOW_US = raw("TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6))")

export const NOW_MS = sql`(${NOW_US} DIV 1000)`

export const MYSQL: Dialect = {
  table: (name) => raw(`miftah_${name}`),
  along: () => raw(''),
  nowMs: NOW_MS,
  least: raw('LEAST'),
  greatest: raw('GREATEST'),
  onTaken: () => raw('ON DUPLICATE KEY UPDATE'),
  inserted: (column) => raw(`VALUES(${column})`),
  list: (values) => (values.length === 0 ? raw('(NULL)') : rowOf(values)),
  rows: tableOf,
  rowsAtOnce: 250,
  some: ({ where, order, limit }) => sql`WHERE ${where} ORDER BY ${raw(order)} LIMIT ${limit}`,
  forUpdate: raw('FOR UPDATE'),
  forShare: raw('LOCK IN SHARE MODE'),
  hasScope: (scope) => sql`JSON_CONTAINS(scopes, ${asText(JSON.stringify(scope))})`,
  reaches,
  endOfKey: raw('ends_at_ms'),
}

type Row = readonly (SqlValue | Sql)[]

export function insertOf(table: Table, columns: readonly string[], rows: readonly Row[]): Sql {
  const names = raw(`miftah_${table} (${columns.join(', ')})`)
  return sql`INSERT INTO ${names} VALUES ${joined(rows.map(rowOf), ', ')}`
}

export function rowOf(values: Row): Sql {
  const cells = values.map((value) => sql`${value}`)
  return sql`(${joined(cells, ', ')})`
}

export function tableOf(columns: readonly string[], rows: readonly (readonly SqlValue[])[]): Sql {
  const selects = rows.map((row, at) => {
    const cells = row.map((value, column) =>
      at === 0 ? sql`${value} AS ${raw(columns[column] ?? '')}` : sql`${value}`,
    )
    return sql`SELECT ${joined(cells, ', ')}`
  })
  return sql`(${joined(selects, ' UNION ALL ')})`
}

/** A value that is compared or searched as text. */
function asText(value: string): Sql {
  return sql`CONVERT(${value} USING utf8mb4)`
}

function reaches({ type, id, match }: ResourceFilter): Sql {
  const ids = sql`JSON_EXTRACT(resources, ${asText(`$.${JSON.stringify(type)}`)})`
  const isListed = sql`JSON_CONTAINS(${ids}, ${asText(JSON.stringify(id))})`
  if (match === 'reaches') return sql`COALESCE(${isListed}, 1)`
  return sql`(COALESCE(${isListed}, 0) AND JSON_LENGTH(${ids}) = 1)`
}
