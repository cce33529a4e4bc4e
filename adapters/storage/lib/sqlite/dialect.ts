import type { Dialect } from '../sql/dialect.ts'
import { raw, sql } from '../sql/sql.ts'

/** SQLite 3.42 and later. Lists and rows are one value each, as JSON. */
export const SQLITE: Dialect = {
  table: (name) => raw(`miftah_${name}`),
  along: (index) => raw(`INDEXED BY miftah_${index}`),
  nowMs: raw("CAST(round(unixepoch('subsec') * 1000) AS INTEGER)"),
  least: raw('min'),
  greatest: raw('max'),
  onTaken: (columns) => raw(`ON CONFLICT (${columns}) DO UPDATE SET`),
  inserted: (column) => raw(`excluded.${column}`),
  list: (values) => sql`(SELECT value FROM json_each(${JSON.stringify(values)}))`,
  rows: (columns, rows) => {
    const selected = columns.map((column, at) => `value->>${at} AS ${column}`).join(', ')
    return sql`(SELECT ${raw(selected)} FROM json_each(${JSON.stringify(rows)}))`
  },
  rowsAtOnce: 1_000,
  some: ({ table, where, order, limit }) => {
    const key = raw(table === 'hourly_usage' ? 'key_id, hour, outcome' : 'id')
    return sql`WHERE (${key}) IN (SELECT ${key} FROM miftah_${raw(table)}
      WHERE ${where} ORDER BY ${raw(order)} LIMIT ${limit})`
  },
  forUpdate: raw(''),
  forShare: raw(''),
  hasScope: (scope) => sql`EXISTS (SELECT 1 FROM json_each(scopes) WHERE value = ${scope})`,
  reaches: ({ type, id, match }) => {
    const listed = sql`(SELECT value FROM json_each(resources) WHERE key = ${type})`
    if (match === 'only') return sql`${listed} = json_array(${id})`
    return sql`(${listed} IS NULL OR ${id} IN (SELECT value FROM json_each(${listed})))`
  },
  endOfKey: raw(`min(coalesce(revoked_at_ms, 9007199254740991),
    coalesce(retires_at_ms, 9007199254740991), coalesce(expires_at_ms, 9007199254740991))`),
}
