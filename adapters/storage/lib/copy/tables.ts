import type { SqlRow } from '../sql/cells.ts'
import { isJson, KEY_COLUMNS, type Column as KeyColumn } from '../sql/columns.ts'
import { Sql, type SqlValue } from '../sql/sql.ts'

/** What a column holds. Databases differ in how they store all but texts and numbers. */
type Kind = 'text' | 'number' | 'flag' | 'hash' | 'json' | 'texts'

type Columns = Readonly<Record<string, Kind>>

/** A table whose rows go along, or a part of it. */
export interface Table {
  /** What it is called in the database, without `miftah_`. */
  readonly name: 'workspaces' | 'keys' | 'usage' | 'hourly_usage' | 'writers' | 'events'
  readonly columns: Columns
  /** Columns whose values together no two rows share, along an index. */
  readonly key: readonly string[]
  /** Which rows go along, in SQL; left out: all. */
  readonly where?: 'uses > 0' | 'NOT is_pending' | 'is_pending = 1'
}

/** Rows as they travel: a flag is 0 or 1, a hash 64 hex digits, and lists and objects are JSON. */
export type Row = Readonly<Record<string, string | number | null>>

const columnsOf = (names: string, kind: Kind): Columns =>
  Object.fromEntries(names.split(' ').map((name) => [name, kind]))

const EVENT_COLUMNS: Columns = {
  ...columnsOf('workspace_id id key_id type actor_id actor_name', 'text'),
  ...columnsOf('place position at_ms written_at_ms', 'number'),
  ...{ data: 'json', is_pending: 'flag' },
}

/** In an order in which no row comes before one that it needs. Pending events come last, in the order of delivery. */
export const TABLES: readonly Table[] = [
  {
    name: 'workspaces',
    columns: { id: 'text', ...columnsOf('revision added', 'number'), is_erased: 'flag' },
    key: ['id'],
  },
  {
    name: 'keys',
    columns: {
      ...Object.fromEntries(KEY_COLUMNS.map((column) => [column.name, kindOf(column)])),
      ...columnsOf('place edition written_at_ms', 'number'),
    },
    key: ['id'],
  },
  {
    name: 'usage',
    columns: { key_id: 'text', ...columnsOf('uses last_used_at_ms', 'number') },
    key: ['key_id'],
    where: 'uses > 0',
  },
  {
    name: 'hourly_usage',
    columns: { key_id: 'text', ...columnsOf('hour outcome count', 'number') },
    key: ['key_id', 'hour', 'outcome'],
  },
  {
    name: 'writers',
    columns: { id: 'text', ...columnsOf('sequence written_at_ms', 'number') },
    key: ['id'],
  },
  {
    name: 'events',
    columns: EVENT_COLUMNS,
    key: ['workspace_id', 'place'],
    where: 'NOT is_pending',
  },
  {
    name: 'events',
    columns: EVENT_COLUMNS,
    key: ['position', 'workspace_id', 'place'],
    where: 'is_pending = 1',
  },
]

function kindOf({ name, kind }: KeyColumn): Kind {
  if (name === 'scopes') return 'texts'
  if (isJson(kind)) return 'json'
  if (kind === 'hash') return 'hash'
  return /_ms$/.test(name) || kind === 'version' ? 'number' : 'text'
}

export interface Side {
  /** Runs a statement with `?` for its values. */
  readonly run: (sql: string, values?: readonly SqlValue[]) => Promise<readonly SqlRow[]>
  /** Inserts rows of about half a megabyte. */
  readonly insert: (table: Table, rows: readonly Row[]) => Promise<unknown>
  /** Sets what comes after the last position of an event. */
  readonly endWith?: (position: number) => Promise<unknown>
  readonly at: (table: string) => string
  /** Reads a column as a {@link Row} has it; default: as it is. */
  readonly read?: (column: string, kind: Kind) => string
  /** The condition that columns are beyond as many values. */
  readonly beyond: (columns: readonly string[], values: readonly SqlValue[]) => Sql
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

/** The error for a target that somebody else writes to. */
export function targetInUse(): NotCopied {
  return new NotCopied('--to is being written to, perhaps by another copy')
}

/** The condition as a comparison of rows. */
export function rowsBeyond(columns: readonly string[], values: readonly SqlValue[]): Sql {
  return new Sql(`(${columns.join(', ')}) > (${columns.map(() => '?').join(', ')})`, values)
}
