import type { Person } from '../../../src/index.ts'
import {
  type FieldKind,
  type KeyRecord,
  type KeyState,
  type KeyUsage,
  keyFields,
  STATE_FIELDS,
  usageFields,
} from '../../../src/storage/index.ts'

/** What one column holds: a person takes two. */
export type ColumnKind = Exclude<FieldKind, 'person' | 'person?'>

/** Each field is one column, named in snake case; a person is an id and a name. */
type Flat<T> = {
  readonly [Field in keyof T & string as T[Field] extends Person | null
    ? `${Field}Id` | `${Field}Name`
    : Field]: T[Field] extends Person
    ? string
    : T[Field] extends Person | null
      ? string | null
      : T[Field]
}

/** A record without nested objects. Each database keeps the hash in its own way. */
export type FlatKey = Flat<Omit<KeyRecord, 'hash'>>

/** The state that an update sets, without nested objects. */
export type FlatState = Flat<KeyState>

/** One column: the field it holds, its name in SQL and its kind. */
export interface Column<Field extends string = string> {
  readonly field: Field
  readonly name: string
  readonly kind: ColumnKind
}

/** The fields of a record that have columns of their own, in the order in which every statement names them. */
export const RECORD_FIELDS = (Object.keys(keyFields) as (keyof KeyRecord)[]).filter(
  (field): field is Exclude<keyof KeyRecord, 'hash'> => field !== 'hash',
)

/** The columns of a key but for its hash. */
export const KEY_COLUMNS: readonly Column<keyof FlatKey>[] = RECORD_FIELDS.flatMap(columnsOf)

/** The columns of a key that an update sets. */
export const STATE_COLUMNS: readonly Column<keyof FlatState>[] = STATE_FIELDS.flatMap(columnsOf)

/** The columns of a key's usage. */
export const USAGE_COLUMNS: readonly Column<keyof KeyUsage>[] = (
  Object.keys(usageFields) as (keyof KeyUsage)[]
).map((field) => ({ field, name: columnName(field), kind: usageFields[field].kind }))

/** The record as one value for each of `KEY_COLUMNS`. */
export function flatKey(record: KeyRecord): FlatKey {
  return flat(record, RECORD_FIELDS) as FlatKey
}

/** The state as one value for each of `STATE_COLUMNS`. */
export function flatState(state: KeyState): FlatState {
  return flat(state, STATE_FIELDS) as FlatState
}

/** A field's name in SQL. */
export function columnName(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function flat<Field extends keyof KeyRecord>(
  record: Pick<KeyRecord, Field>,
  fields: readonly Field[],
): object {
  return Object.fromEntries(fields.flatMap((field) => valuesOf(field, record[field])))
}

function valuesOf(field: keyof KeyRecord, value: unknown): readonly (readonly [string, unknown])[] {
  if (!isPerson(keyFields[field].kind)) return [[field, value]]
  const { id = null, name = null } = Object(value)
  return [
    [`${field}Id`, id],
    [`${field}Name`, name],
  ]
}

function columnsOf<Field extends keyof KeyRecord>(field: Field) {
  const { kind } = keyFields[field]
  const columns = isPerson(kind)
    ? ['Id', 'Name'].map((part) => [field + part, kind === 'person' ? 'text' : 'text?'] as const)
    : [[field, kind] as const]
  return columns.map(([flatField, flatKind]) => ({
    field: flatField as keyof Flat<Pick<KeyRecord, Field>>,
    name: columnName(flatField),
    kind: flatKind,
  }))
}

function isPerson(kind: FieldKind): kind is 'person' | 'person?' {
  return kind === 'person' || kind === 'person?'
}
