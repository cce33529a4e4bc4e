import {
  type HourlyTotal,
  outcomeCode,
  USAGE_OUTCOMES,
  type UsageBatch,
  type UsageHistoryBatch,
  type UsageQuery,
} from '../../../../src/storage/index.ts'
import { brokenColumn, integerIn, rowFrom, type SqlRow } from './cells.ts'
import type { Dialect } from './dialect.ts'
import { partsOf, raw, type Sql, type SqlValue, sql } from './sql.ts'
import { each, type Work } from './work.ts'

export const MOST = Number.MAX_SAFE_INTEGER
/** How many old hours one batch deletes: more than it adds, in little time. */
export const MOST_DELETED = 2_000

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** How long a silent writer is remembered: a batch repeated later than this would count again. */
export const WRITER_MEMORY_MS = 30 * DAY_MS

/** The clock is that of the database. */
export function* addUses(of: Dialect, batch: UsageBatch): Work<void> {
  const { writer, sequence, uses, history } = batch
  const writers = of.table('writers')
  const [, advanced, clock] = yield* each(
    sql`INSERT INTO ${writers} (id, sequence, written_at_ms) VALUES (${writer}, 0, ${of.nowMs})
      ${of.onTaken('id')} id = ${of.inserted('id')}`,
    sql`UPDATE ${writers} SET sequence = ${sequence}, written_at_ms = ${of.nowMs}
      WHERE id = ${writer} AND sequence < ${sequence}`,
    sql`SELECT ${of.nowMs} AS now_ms`,
  )
  if (advanced.changes !== 1) return
  const nowMs = integerIn(rowFrom(clock.rows[0]), 'now_ms')
  const where = sql`written_at_ms < ${nowMs - WRITER_MEMORY_MS}`
  const silent = of.some({ table: 'writers', where, order: 'written_at_ms', limit: 100 })
  yield [
    ...partsOf(byId(uses), of.rowsAtOnce).map((part) => addToUsage(of, part, nowMs)),
    ...(history === undefined ? [] : historyOf(of, history, nowMs)),
    // Writers come and go with processes, so the first batch of one is when to forget the others.
    sequence === 1 ? sql`DELETE FROM ${writers} ${silent}` : null,
  ]
}

/** In the order of ids, in which processes that lock the same rows wait for each other. */
function byId<T extends { readonly id: string }>(rows: readonly T[]): readonly T[] {
  return rows.toSorted((one, other) => (one.id < other.id ? -1 : 1))
}

/** A stored instant that is ahead of the clock does not count: the new one replaces it. */
function addToUsage(of: Dialect, uses: UsageBatch['uses'], nowMs: number): Sql {
  const table = of.table('usage')
  const rows = uses.map((one) => [one.id, one.uses, Math.min(one.lastUsedAtMs, nowMs)])
  const last = sql`${table}.last_used_at_ms`
  return sql`INSERT INTO ${table} (key_id, uses, last_used_at_ms)
    ${ofKnownKeys(of, ['id', 'uses', 'at_ms'], rows)} ${of.onTaken('key_id')}
      uses = ${of.least}(${table}.uses + ${of.inserted('uses')}, ${MOST}),
      last_used_at_ms = ${of.greatest}(${of.inserted('last_used_at_ms')},
        CASE WHEN ${last} <= ${nowMs} THEN ${last} ELSE ${-MOST} END)`
}

/** Selects those rows whose first column is the id of a key. */
function ofKnownKeys(
  of: Dialect,
  columns: readonly string[],
  rows: readonly (readonly SqlValue[])[],
): Sql {
  const selected = raw(columns.map((column) => `d.${column}`).join(', '))
  return sql`SELECT ${selected} FROM ${of.rows(columns, rows)} AS d
    CROSS JOIN ${of.table('keys')} AS k WHERE k.id = d.id ${of.forShare}`
}

/** Adds counts to the hours that are kept, and drops some of the others. */
function historyOf(of: Dialect, { counts, keepDays }: UsageHistoryBatch, nowMs: number): Sql[] {
  const table = of.table('hourly_usage')
  const firstHour = (Math.floor(nowMs / DAY_MS) - keepDays) * 24
  const currentHour = Math.floor(nowMs / HOUR_MS)
  const kept = byId(counts.filter(({ hour }) => hour >= firstHour)).map(
    ({ id, hour, outcome, count }) => [
      id,
      Math.min(hour, currentHour),
      outcomeCode(outcome),
      count,
    ],
  )
  const where = sql`hour < ${firstHour}`
  const dropped = of.some({ table: 'hourly_usage', where, order: 'hour', limit: MOST_DELETED })
  return [
    ...partsOf(kept, of.rowsAtOnce).map(
      (rows) => sql`INSERT INTO ${table} (key_id, hour, outcome, count)
        ${ofKnownKeys(of, ['id', 'hour', 'outcome', 'n'], rows)}
        ${of.onTaken('key_id, hour, outcome')}
          count = ${of.least}(${table}.count + ${of.inserted('count')}, ${MOST})`,
    ),
    sql`DELETE FROM ${table} ${dropped}`,
  ]
}

export function* usage(
  of: Dialect,
  workspaceId: string,
  { id, fromHour, toHour }: UsageQuery,
): Work<readonly HourlyTotal[] | null> {
  const keys = of.table('keys')
  const whose =
    id === null
      ? sql`k.workspace_id = ${workspaceId}`
      : sql`k.id = ${id} AND k.workspace_id = ${workspaceId}`
  const [known, totals] = yield* each(
    id === null ? null : sql`SELECT 1 AS one FROM ${keys} AS k WHERE ${whose}`,
    sql`SELECT h.hour, h.outcome, ${of.least}(SUM(h.count), ${MOST}) AS count
      FROM ${keys} AS k ${of.along(id === null ? 'keys_workspace' : 'keys_id')}
      CROSS JOIN ${of.table('hourly_usage')} AS h
      WHERE ${whose} AND h.key_id = k.id AND h.hour >= ${fromHour} AND h.hour < ${toHour}
      GROUP BY h.hour, h.outcome`,
  )
  if (id !== null && known.rows.length === 0) return null
  return totals.rows.map(hourlyTotalFrom)
}

const OUTCOMES = new Map(USAGE_OUTCOMES.map((outcome) => [outcomeCode(outcome), outcome]))

export function hourlyTotalFrom(row: SqlRow): HourlyTotal {
  const outcome = OUTCOMES.get(integerIn(row, 'outcome')) ?? brokenColumn('outcome')
  return { hour: integerIn(row, 'hour'), outcome, count: integerIn(row, 'count') }
}
