import {
  type AuditEventRecord,
  changedFields,
  type DataKind,
  type DataTypes,
  ENVIRONMENTS,
  EVENT_TYPES,
  eventTypes,
  REVOCATION_REASONS,
  snapshotFields,
} from '../../../src/storage/index.ts'
import {
  brokenColumn,
  integerIn,
  networksIn,
  objectIn,
  oneOfIn,
  optionalTextIn,
  type SqlRow,
  textIn,
  textListsByNameIn,
  textsIn,
} from './row.ts'

const READERS: {
  readonly [Kind in DataKind]: (data: SqlRow, field: string) => DataTypes[Kind]
} = {
  text: textIn,
  'text?': optionalTextIn,
  texts: textsIn,
  names: textsIn,
  resources: textListsByNameIn,
  networks: networksIn,
  environment: (data, field) => oneOfIn(data, field, ENVIRONMENTS),
  instant: textIn,
  'instant?': optionalTextIn,
  flag: flagIn,
  'reason?': (data, field) =>
    data[field] === null ? null : oneOfIn(data, field, REVOCATION_REASONS),
  changes: changesIn,
}

/**
 * The event in a row with the columns `id`, `at_ms`, `workspace_id`, `actor_id`, `actor_name`,
 * `key_id`, `type` and `data` (a JSON object). Throws `StorageError` (`broken_row`) rather than guess.
 */
export function auditEventFrom(row: SqlRow): AuditEventRecord {
  const type = oneOfIn(row, 'type', EVENT_TYPES)
  const data = objectIn(row, 'data')
  // The events of schema version 1 know no overlap, and no scopes but those of the old key.
  const first = {
    replacementScopes: data['scopes'],
    overlapEndsAt: null,
    endedOverlap: false,
    reason: null,
  }
  const event = {
    id: textIn(row, 'id'),
    atMs: integerIn(row, 'at_ms'),
    workspaceId: textIn(row, 'workspace_id'),
    actor: { id: textIn(row, 'actor_id'), name: textIn(row, 'actor_name') },
    keyId: textIn(row, 'key_id'),
    type,
    data: fieldsIn({ ...first, ...data }, { ...snapshotFields, ...eventTypes[type] }),
  }
  // The kinds of the fields are checked against their types where they are declared.
  return event as unknown as AuditEventRecord
}

function fieldsIn(data: SqlRow, kinds: Readonly<Record<string, DataKind>>) {
  const fields = Object.entries(kinds).map(([field, kind]) => [field, READERS[kind](data, field)])
  return Object.fromEntries(fields)
}

function flagIn(data: SqlRow, field: string): boolean {
  const value = data[field]
  return typeof value === 'boolean' ? value : brokenColumn(field)
}

/** Those of the known fields that it has. */
function changesIn(data: SqlRow, field: string): DataTypes['changes'] {
  const changes = objectIn(data, field)
  const known = Object.entries(changedFields).filter(([name]) => Object.hasOwn(changes, name))
  return fieldsIn(changes, Object.fromEntries(known))
}
