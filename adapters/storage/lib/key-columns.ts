import type { KeyRecord, KeyState, KeyUsage } from '../../../src/storage/index.ts'

/** How a database keeps a value, and so how it is read back. */
export type ColumnKind =
  | 'text'
  | 'textOrNull'
  | 'texts'
  | 'textsByName'
  | 'environment'
  | 'integer'
  | 'integerOrNull'

/** A record without nested objects: each field is one column, named in snake case. */
export type FlatKey = Omit<KeyRecord, 'hash' | 'creator' | 'pausedBy'> & {
  readonly creatorId: string
  readonly creatorName: string
} & FlatPause

/** Who paused a key; both `null` until then. They stay when a paused key expires or is revoked. */
interface FlatPause {
  readonly pausedById: string | null
  readonly pausedByName: string | null
}

/** The state that an update sets, without nested objects. */
export type FlatState = Omit<KeyState, 'pausedBy'> & FlatPause

/**
 * The columns of a key, in the order in which every statement names them. Each database keeps the
 * hash in its own way, so it is not among them. A field of `KeyRecord` that is missing here does not
 * compile.
 */
const KINDS: { readonly [Field in keyof FlatKey]-?: ColumnKind } = {
  id: 'text',
  workspaceId: 'text',
  name: 'text',
  environment: 'environment',
  scopes: 'texts',
  prefix: 'text',
  creatorId: 'text',
  creatorName: 'text',
  createdAtMs: 'integer',
  revokedAtMs: 'integerOrNull',
  replaces: 'textOrNull',
  replacedBy: 'textOrNull',
  version: 'integer',
  updatedAtMs: 'integer',
  expiresAtMs: 'integerOrNull',
  pausedAtMs: 'integerOrNull',
  pausedById: 'textOrNull',
  pausedByName: 'textOrNull',
  retiresAtMs: 'integerOrNull',
  metadata: 'textsByName',
  format: 'textOrNull',
}

/** The columns that an update sets. */
const STATE: { readonly [Field in keyof FlatState]-?: true } = {
  name: true,
  scopes: true,
  expiresAtMs: true,
  pausedAtMs: true,
  pausedById: true,
  pausedByName: true,
  metadata: true,
}

const USAGE_KINDS: { readonly [Field in keyof KeyUsage]-?: ColumnKind } = {
  uses: 'integer',
  lastUsedAtMs: 'integerOrNull',
}

/** One column: the field it holds, its name in SQL and its kind. */
export interface Column<Field extends string = string> {
  readonly field: Field
  readonly name: string
  readonly kind: ColumnKind
}

/** The columns of a key but for its hash. */
export const KEY_COLUMNS: readonly Column<keyof FlatKey>[] = columnsOf(KINDS)

/** The columns of a key that an update sets. */
export const STATE_COLUMNS = KEY_COLUMNS.filter(
  (column): column is Column<keyof FlatState> => column.field in STATE,
)

/** The columns of a key's usage. */
export const USAGE_COLUMNS: readonly Column<keyof KeyUsage>[] = columnsOf(USAGE_KINDS)

/** The record as one value for each of `KEY_COLUMNS`. */
export function flatKey({ hash: _hash, creator, pausedBy, ...record }: KeyRecord): FlatKey {
  return { ...record, creatorId: creator.id, creatorName: creator.name, ...flatPause(pausedBy) }
}

/** The state as one value for each of `STATE_COLUMNS`. */
export function flatState({ pausedBy, ...state }: KeyState): FlatState {
  return { ...state, ...flatPause(pausedBy) }
}

function flatPause(by: KeyState['pausedBy']): FlatPause {
  return { pausedById: by?.id ?? null, pausedByName: by?.name ?? null }
}

function columnsOf<Field extends string>(
  kinds: Readonly<Record<Field, ColumnKind>>,
): readonly Column<Field>[] {
  return (Object.keys(kinds) as Field[]).map((field) => ({
    field,
    name: field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    kind: kinds[field],
  }))
}
