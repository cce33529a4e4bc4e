import {
  type AuditEventRecord,
  changedFields,
  type DataKind,
  type DataTypes,
  ENVIRONMENTS,
  EVENT_TYPES,
  type EventPage,
  eventTypes,
  type FieldKind,
  type FieldTypes,
  type HeldKey,
  type KeyPage,
  type KeyRecord,
  keyFields,
  type LaggingNode,
  type LoggedChange,
  type PendingEvents,
  REVOCATION_REASONS,
  snapshotFields,
} from '../../../../src/storage/index.ts'
import {
  brokenColumn,
  entriesIn,
  integerIn,
  networksIn,
  objectIn,
  oneOfIn,
  optionalIntegerIn,
  optionalTextIn,
  rowFrom,
  type SqlRow,
  textIn,
  textOf,
  textsIn,
  textsOf,
} from './cells.ts'
import { columnName } from './columns.ts'
import { hexOf } from './hash-bytes.ts'

/* What stored rows mean, by the names of their columns. Everything throws `broken_row` rather than guess. */

/** How a cell of a row, or a field of JSON, is read where a key and an event have the same. */
const COMMON = {
  text: textIn,
  'text?': optionalTextIn,
  texts: textsIn,
  resources: (row: SqlRow, column: string) => entriesIn(row, column, textsOf),
  networks: networksIn,
  environment: (row: SqlRow, column: string) => oneOfIn(row, column, ENVIRONMENTS),
}

const FIELDS: { readonly [Kind in FieldKind]: (row: SqlRow, column: string) => FieldTypes[Kind] } =
  {
    ...COMMON,
    prefix: textIn,
    hash: hashIn,
    metadata: (row, column) => entriesIn(row, column, textOf),
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

const READERS = Object.entries(keyFields).map(([field, { kind }]) => ({
  field,
  column: columnName(field),
  read: FIELDS[kind] as (row: SqlRow, column: string) => unknown,
}))

export function keyRecordFrom(value: unknown): KeyRecord {
  const row = rowFrom(value)
  // The kinds of the fields are checked against their types where they are declared.
  return Object.fromEntries(
    READERS.map(({ field, column, read }) => [field, read(row, column)]),
  ) as unknown as KeyRecord
}

/** The key in a row of `KEY_COLUMNS`, `uses`, `last_used_at_ms`, `edition` and `place`. */
export function heldKeyFrom(value: unknown): HeldKey {
  const row = rowFrom(value)
  return {
    record: keyRecordFrom(row),
    // A key that was never used has no row of usage.
    usage: {
      uses: optionalIntegerIn(row, 'uses') ?? 0,
      lastUsedAtMs: optionalIntegerIn(row, 'last_used_at_ms'),
    },
    edition: integerIn(row, 'edition'),
    place: integerIn(row, 'place'),
  }
}

/** A page that was asked for with one key more than its limit. */
export function keyPageFrom(
  rows: readonly unknown[],
  limit: number,
  counts: Pick<KeyPage, 'activeKeys' | 'total'>,
): KeyPage {
  const keys = rows.map(heldKeyFrom)
  return { keys: keys.slice(0, limit), more: keys.length > limit, ...counts }
}

/** The hash in a column of 32 bytes, or of 64 hex digits. */
export function hashIn(row: SqlRow, column: string): string {
  const value = row[column]
  if (typeof value === 'string') return value
  return value instanceof Uint8Array && value.length === 32 ? hexOf(value) : brokenColumn(column)
}

const DATA: { readonly [Kind in DataKind]: (data: SqlRow, field: string) => DataTypes[Kind] } = {
  ...COMMON,
  names: textsIn,
  instant: textIn,
  'instant?': optionalTextIn,
  flag: (data, field) => {
    const value = data[field]
    return typeof value === 'boolean' ? value : brokenColumn(field)
  },
  'reason?': (data, field) =>
    data[field] === null ? null : oneOfIn(data, field, REVOCATION_REASONS),
  // Those of the known fields that it has.
  changes: (data, field) => {
    const changes = objectIn(data, field)
    const known = Object.entries(changedFields).filter(([name]) => Object.hasOwn(changes, name))
    return fieldsIn(changes, Object.fromEntries(known))
  },
}

export function auditEventFrom(value: unknown): AuditEventRecord {
  const row = rowFrom(value)
  const type = oneOfIn(row, 'type', EVENT_TYPES)
  const event = {
    id: textIn(row, 'id'),
    atMs: integerIn(row, 'at_ms'),
    workspaceId: textIn(row, 'workspace_id'),
    actor: { id: textIn(row, 'actor_id'), name: textIn(row, 'actor_name') },
    keyId: textIn(row, 'key_id'),
    type,
    data: fieldsIn(objectIn(row, 'data'), { ...snapshotFields, ...eventTypes[type] }),
  }
  return event as unknown as AuditEventRecord
}

function fieldsIn(data: SqlRow, kinds: Readonly<Record<string, DataKind>>) {
  const fields = Object.entries(kinds).map(([field, kind]) => [field, DATA[kind](data, field)])
  return Object.fromEntries(fields)
}

/** A page of rows of `EVENT_COLUMNS` and `place`. */
export function eventPageFrom(rows: readonly unknown[]): EventPage {
  const last = rows.at(-1)
  return {
    events: rows.map(auditEventFrom),
    last: last === undefined ? null : integerIn(rowFrom(last), 'place'),
  }
}

export function loggedChangeFrom(row: SqlRow): LoggedChange {
  const sequence = integerIn(row, 'sequence')
  const kind = oneOfIn(row, 'kind', ['key', 'plan', 'everything'])
  if (kind === 'key') return { sequence, kind, hash: hashIn(row, 'hash') }
  if (kind === 'everything') return { sequence, kind }
  return { sequence, kind, workspaceId: optionalTextIn(row, 'workspace_id') }
}

export function laggingNodeFrom(row: SqlRow): LaggingNode {
  const [leaseMs, renewal] = [integerIn(row, 'lease_ms'), integerIn(row, 'renewal')]
  return { node: textIn(row, 'node'), leaseMs, renewal }
}

export const MODES = ['primary', 'replica', 'read_only'] as const

export function pendingEventsFrom(row: SqlRow): PendingEvents {
  return { count: integerIn(row, 'count'), oldestAtMs: optionalIntegerIn(row, 'oldest_at_ms') }
}
