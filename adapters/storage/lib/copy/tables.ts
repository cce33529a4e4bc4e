import { type Cells, EVENT_COLUMNS, isJson, KEY_COLUMNS } from '../sql/columns.ts'
import type { Sql, SqlValue } from '../sql/sql.ts'

/** A table whose rows go along, or a part of it. */
export interface Table {
  /** What it is called in the database, without `miftah_`. */
  readonly name: 'workspaces' | 'keys' | 'usage' | 'hourly_usage' | 'writers' | 'events'
  readonly columns: readonly string[]
  /** Columns whose values together no two rows share, along an index. */
  readonly key: readonly string[]
  /** Which rows go along, in SQL; left out: all. */
  readonly where?: 'uses > 0' | 'NOT is_pending' | 'is_pending = 1'
}

const EVENTS = [...EVENT_COLUMNS, 'place', 'position', 'is_pending', 'written_at_ms']
const KEYS = [...KEY_COLUMNS.map(({ name }) => name), 'place', 'edition', 'written_at_ms']

/** In an order in which no row comes before one that it needs. Pending events come last, in the order of delivery. */
export const TABLES: readonly Table[] = [
  { name: 'workspaces', columns: ['id', 'revision', 'added', 'is_erased'], key: ['id'] },
  { name: 'keys', columns: KEYS, key: ['id'] },
  {
    name: 'usage',
    columns: ['key_id', 'uses', 'last_used_at_ms'],
    key: ['key_id'],
    where: 'uses > 0',
  },
  {
    name: 'hourly_usage',
    columns: ['key_id', 'hour', 'outcome', 'count'],
    key: ['key_id', 'hour', 'outcome'],
  },
  { name: 'writers', columns: ['id', 'sequence', 'written_at_ms'], key: ['id'] },
  { name: 'events', columns: EVENTS, key: ['workspace_id', 'place'], where: 'NOT is_pending' },
  {
    name: 'events',
    columns: EVENTS,
    key: ['position', 'workspace_id', 'place'],
    where: 'is_pending = 1',
  },
]

/** The columns of lists and objects. */
export const JSON_COLUMNS: ReadonlySet<string> = new Set([
  ...KEY_COLUMNS.filter(({ kind }) => isJson(kind)).map(({ name }) => name),
  'data',
])

export interface Side {
  /** Reads with `?` for the values. In a row a flag is 0 or 1, and a list or an object is JSON. */
  readonly read: (sql: string, values?: readonly SqlValue[]) => Promise<readonly Cells[]>
  /** Inserts rows of about half a megabyte. */
  readonly insert: (table: Table, rows: readonly Cells[]) => Promise<unknown>
  /** Sets what comes after the last position of an event. */
  readonly endWith?: (position: number) => Promise<unknown>
  readonly at: (table: string) => string
  /** Reads a hash as 64 hex digits. */
  readonly hash: string
  /** The condition that columns are beyond as many values; default: a comparison of rows. */
  readonly beyond?: (columns: readonly string[], values: readonly SqlValue[]) => Sql
  /** A part of a `where` in this database; default: as it is. */
  readonly where?: (condition: NonNullable<Table['where']>) => string
  readonly nowMs: string
  /** Whether it has a log of changes, for processes that answer from memory. */
  readonly hasLog: boolean
}

/**
 * Runs work on a database: on a snapshot of a source, or as the only copy into a target, of which all is kept or
 * nothing. Rejects with {@link NotCopied} where another copy is under way.
 */
export type OnSide = <T>(role: 'source' | 'target', work: (side: Side) => Promise<T>) => Promise<T>

/** A database that must not be copied, or not be copied into. Nothing was written. */
export class NotCopied extends Error {}

/** Takes the lock of a target, with a statement that fails where somebody else writes to it. */
export async function locked(
  statement: () => unknown,
  isLocked: (error: unknown) => boolean,
): Promise<void> {
  try {
    await statement()
  } catch (error) {
    if (!isLocked(error)) throw error
    throw new NotCopied('--to is being written to, perhaps by another copy')
  }
}
