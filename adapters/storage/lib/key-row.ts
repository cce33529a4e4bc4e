import type { KeyRecord, KeyUsage } from '../../../src/storage/index.ts'
import {
  type Column,
  type ColumnKind,
  type FlatKey,
  KEY_COLUMNS,
  USAGE_COLUMNS,
} from './key-columns.ts'
import {
  brokenColumn,
  integerIn,
  oneOfIn,
  optionalIntegerIn,
  optionalTextIn,
  type SqlRow,
  textIn,
  textsByNameIn,
  textsIn,
} from './row.ts'

const READERS: Readonly<Record<ColumnKind, (row: SqlRow, column: string) => unknown>> = {
  text: textIn,
  textOrNull: optionalTextIn,
  texts: textsIn,
  textsByName: textsByNameIn,
  environment: (row, column) => oneOfIn(row, column, ['live', 'test']),
  integer: integerIn,
  integerOrNull: optionalIntegerIn,
}

/**
 * The record in a row with the columns of a key; each database keeps the hash in its own way.
 * Throws `StorageError` (`broken_row`) rather than guess.
 */
export function keyRecordFrom(row: SqlRow, hash: string): KeyRecord {
  const { creatorId, creatorName, pausedById, pausedByName, ...record } = fieldsOf<FlatKey>(
    row,
    KEY_COLUMNS,
  )
  const isWhole = (pausedById === null) === (pausedByName === null)
  const pausedBy =
    pausedById === null || pausedByName === null ? null : { id: pausedById, name: pausedByName }
  if (!isWhole) return brokenColumn('paused_by_name')
  return { hash, ...record, creator: { id: creatorId, name: creatorName }, pausedBy }
}

/** The usage in a row with its columns. Throws `StorageError` (`broken_row`) rather than guess. */
export function keyUsageFrom(row: SqlRow): KeyUsage {
  return fieldsOf<KeyUsage>(row, USAGE_COLUMNS)
}

/** The kinds of the columns are checked against the type of the fields where they are declared. */
function fieldsOf<T>(row: SqlRow, columns: readonly Column<keyof T & string>[]): T {
  const fields = columns.map(({ field, name, kind }) => [field, READERS[kind](row, name)])
  return Object.fromEntries(fields)
}
