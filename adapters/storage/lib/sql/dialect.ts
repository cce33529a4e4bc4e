import type { ResourceFilter } from '../../../../src/storage/index.ts'
import type { Sql, SqlValue } from './sql.ts'
import type { Work } from './work.ts'

/** The tables that every database has, without the prefix `miftah_`. */
export type Table =
  | 'workspaces'
  | 'keys'
  | 'usage'
  | 'hourly_usage'
  | 'writers'
  | 'events'
  | 'relay'
  | 'clock'
  | 'log'
  | 'nodes'

/** The indexes that a statement names, because SQLite does not find them without statistics. */
export type Index =
  | `keys_${'id' | 'workspace' | 'living' | 'revoked' | 'retiring' | 'creator' | 'notice' | 'end'}`
  | `events_${'of_id' | 'of_workspace' | 'of_key' | 'pending'}`

export interface SomeRows {
  readonly table: 'events' | 'hourly_usage' | 'writers'
  readonly where: Sql
  /** The columns by which the first of them are found. */
  readonly order: string
  readonly limit: number
}

/** In what databases that speak SQL differ. Tables, columns and rows are the same. */
export interface Dialect {
  /** A table as statements name it. */
  readonly table: (name: Table) => Sql
  /** What follows the name of a table that is read along an index: nothing where the database chooses. */
  readonly along: (index: Index) => Sql
  /** The clock of the database, in milliseconds since the epoch. */
  readonly nowMs: Sql
  readonly least: Sql
  readonly greatest: Sql
  /** What stands between `INSERT … VALUES (…)` and what is set where this column or these are taken. */
  readonly onTaken: (columns: string) => Sql
  /** In what is set there: the value that was not inserted. */
  readonly inserted: (column: string) => Sql
  /** What follows `IN`, or `NOT IN` if there are any: the values in parentheses. */
  readonly list: (values: readonly string[]) => Sql
  /** Rows as a table in parentheses, for `FROM`; at least one. Each column is named once. */
  readonly rows: (columns: readonly string[], rows: readonly (readonly SqlValue[])[]) => Sql
  /** How many rows one statement takes; 1,000 on a database without a limit. */
  readonly rowsAtOnce: number
  /** What follows `DELETE FROM …` or `UPDATE … SET …`: the condition that meets these rows. */
  readonly some: (rows: SomeRows) => Sql
  /** What follows a `SELECT` of rows that are deleted next: the lock of these rows. */
  readonly forUpdate: Sql
  /** What follows a `SELECT` of rows that must not be deleted meanwhile. */
  readonly forShare: Sql
  readonly hasScope: (scope: string) => Sql
  readonly reaches: (resource: ResourceFilter) => Sql
  /** When a key stopped or stops, as its index has it; far in the future for never. */
  readonly endOfKey: Sql
  /** Logs deleted keys for caches, and answers whether the log is in use; left out: there is none. */
  readonly logDeleted?: (hashes: readonly string[]) => Work<boolean>
}
