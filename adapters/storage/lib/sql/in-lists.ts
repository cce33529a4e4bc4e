import { partsOf } from '../parts.ts'
import type { DeletedRow, SqlBatches } from './statements.ts'
import { changesOf, type SqlValue, type Work } from './work.ts'

/** How many rows one statement concerns. */
const ROWS = 250

/** Rows in parts for statements of their own. */
export function inParts<T>(rows: readonly T[]): readonly (readonly T[])[] {
  return partsOf(rows, ROWS)
}

/** Parameters for a list, which must not be empty. */
export function listOf(values: readonly unknown[]): string {
  return `(${values.map(() => '?').join(', ')})`
}

/** Parameters for rows as a table with these columns, in a form that all servers know. */
export function tableOf(rows: readonly unknown[], columns: string): string {
  const names = columns.split(', ')
  const first = `SELECT ${names.map((name) => `? AS ${name}`).join(', ')}`
  const other = `SELECT ${names.map(() => '?').join(', ')}`
  return rows.map((_, at) => (at === 0 ? first : other)).join(' UNION ALL ')
}

/** In the order of ids, in which processes that lock the same rows wait for each other. */
export function byId<T extends { readonly id: string }>(rows: readonly T[]): readonly T[] {
  return rows.toSorted((one, other) => (one.id < other.id ? -1 : 1))
}

/** Makes a statement that is run for its effect. */
type Run = (text: string, values: readonly SqlValue[]) => unknown

/** Batches for a database in another process, where a statement is a round trip: many rows in each. */
export function inLists(run: Run): Pick<SqlBatches, 'deleteKeys' | 'deleteEvents' | 'notePurged'> {
  const deleteFrom = (table: string, column: string, values: readonly SqlValue[]) =>
    run(`DELETE FROM miftah_${table} WHERE ${column} IN ${listOf(values)}`, values)
  return {
    *deleteKeys(rows): Work<void> {
      for (const part of inParts(rows)) {
        const positions = part.map(({ position }) => position)
        yield deleteFrom('usage_hours', 'key_position', positions)
        yield deleteFrom('usage_days', 'key_position', positions)
        assertAll(part, yield deleteFrom('keys', 'position', positions))
        const ids = part.map(({ id }) => id)
        assertAll(part, yield deleteFrom('usage', 'key_id', ids))
      }
    },
    *deleteEvents(rows): Work<void> {
      for (const part of inParts(rows)) {
        const positions = part.map(({ position }) => position)
        assertAll(part, yield deleteFrom('events', 'position', positions))
      }
    },
    *notePurged(kind, rows): Work<void> {
      for (const part of inParts(rows)) {
        const values = part.map(({ id, workspaceId, position }) => [
          kind,
          id,
          workspaceId,
          position,
        ])
        const text = `INSERT INTO miftah_purged VALUES ${values.map(listOf).join(', ')}`
        yield run(text, values.flat())
      }
    },
  }
}

/** The call must not answer as if rows had been deleted that a trigger of the host has kept. */
function assertAll(rows: readonly DeletedRow[], answer: unknown): void {
  const changes = changesOf(answer)
  if (changes !== rows.length) throw new Error(`deleting ${rows.length} rows deleted ${changes}`)
}
