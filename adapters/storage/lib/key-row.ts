import {
  ENVIRONMENTS,
  type FieldKind,
  type FieldTypes,
  type KeyRecord,
  type KeyUsage,
  keyFields,
  usageFields,
} from '../../../src/storage/index.ts'
import { columnName, RECORD_FIELDS } from './key-columns.ts'
import {
  brokenColumn,
  integerIn,
  networksIn,
  oneOfIn,
  optionalIntegerIn,
  optionalTextIn,
  type SqlRow,
  textIn,
  textListsByNameIn,
  textsByNameIn,
  textsIn,
} from './row.ts'

const READERS: {
  readonly [Kind in FieldKind]: (row: SqlRow, column: string) => FieldTypes[Kind]
} = {
  text: textIn,
  'text?': optionalTextIn,
  texts: textsIn,
  prefix: textIn,
  hash: textIn,
  environment: (row, column) => oneOfIn(row, column, ENVIRONMENTS),
  metadata: textsByNameIn,
  resources: textListsByNameIn,
  networks: networksIn,
  count: integerIn,
  version: integerIn,
  instant: integerIn,
  'instant?': optionalIntegerIn,
  person: (row, column) => ({
    id: textIn(row, `${column}_id`),
    name: textIn(row, `${column}_name`),
  }),
  'person?': (row, column) => {
    const id = optionalTextIn(row, `${column}_id`)
    const name = optionalTextIn(row, `${column}_name`)
    if ((id === null) !== (name === null)) return brokenColumn(`${column}_name`)
    return id === null || name === null ? null : { id, name }
  },
}

/** A field, its column and how it is read. */
interface Reader {
  readonly field: string
  readonly column: string
  readonly read: (row: SqlRow, column: string) => unknown
}

const RECORD_READERS = RECORD_FIELDS.map((field) => readerOf(field, keyFields[field]))
const USAGE_READERS = Object.entries(usageFields).map(([field, spec]) => readerOf(field, spec))

function readerOf(field: string, { kind }: { readonly kind: FieldKind }): Reader {
  return { field, column: columnName(field), read: READERS[kind] }
}

/**
 * The record in a row with the columns of a key; each database keeps the hash in its own way.
 * Throws `StorageError` (`broken_row`) rather than guess.
 */
export function keyRecordFrom(row: SqlRow, hash: string): KeyRecord {
  return { hash, ...fieldsOf<Omit<KeyRecord, 'hash'>>(row, RECORD_READERS) }
}

/** The usage in a row with its columns. Throws `StorageError` (`broken_row`) rather than guess. */
export function keyUsageFrom(row: SqlRow): KeyUsage {
  return fieldsOf<KeyUsage>(row, USAGE_READERS)
}

/** The kinds of the fields are checked against their types where they are declared. */
function fieldsOf<T>(row: SqlRow, readers: readonly Reader[]): T {
  return Object.fromEntries(
    readers.map(({ field, column, read }) => [field, read(row, column)]),
  ) as T
}
