import type { ChangedFields } from '../../../src/events/index.ts'
import type { Environment, RevocationReason } from '../../../src/index.ts'
import type { AuditEventRecord } from '../../../src/storage/index.ts'
import {
  booleanIn,
  integerIn,
  objectIn,
  oneOfIn,
  optionalTextIn,
  type SqlRow,
  textIn,
  textsIn,
} from './row.ts'

type Read<T> = (row: SqlRow, column: string) => T

/** Readers of what the data of an event say beside the snapshot. */
type OwnReaders<Data> = {
  readonly [Field in Exclude<keyof Data, keyof typeof SNAPSHOT>]-?: Read<Data[Field]>
}

const ENVIRONMENTS = namesOf<Environment>({ live: true, test: true })
const REASONS = namesOf<RevocationReason>({ leaked: true, unused: true, other: true })

/** What the data of every event say. */
const SNAPSHOT = {
  name: textIn,
  environment: (row: SqlRow, column: string) => oneOfIn(row, column, ENVIRONMENTS),
  scopes: textsIn,
  prefix: textIn,
}

const CHANGED: { readonly [Field in keyof ChangedFields]-?: Read<ChangedFields[Field]> } = {
  name: textIn,
  scopes: textsIn,
  expiresAt: optionalTextIn,
  metadata: textsIn,
}

/** A type or a field that is missing here does not compile. */
const OWN: {
  readonly [Event in AuditEventRecord as Event['type']]: OwnReaders<Event['data']>
} = {
  'api_key.created': {},
  'api_key.imported': { format: textIn },
  'api_key.updated': { before: changedIn, after: changedIn },
  'api_key.paused': {},
  'api_key.resumed': {},
  'api_key.rotated': {
    replacementId: textIn,
    replacementPrefix: textIn,
    replacementScopes: textsIn,
    overlapEndsAt: optionalTextIn,
  },
  'api_key.revoked': {
    endedOverlap: booleanIn,
    reason: (row, column) => (row[column] === null ? null : oneOfIn(row, column, REASONS)),
  },
  'api_key.expiring': { expiresAt: textIn },
  'api_key.expired': { expiresAt: textIn },
  'api_key.retired': { replacementId: textIn, overlapEndsAt: textIn },
}

const TYPES = Object.keys(OWN) as AuditEventRecord['type'][]

/**
 * The event in a row with the columns `id`, `at_ms`, `workspace_id`, `actor_id`, `actor_name`,
 * `key_id`, `type` and `data` (a JSON object). Throws `StorageError` (`broken_row`) rather than guess.
 */
export function auditEventFrom(row: SqlRow): AuditEventRecord {
  const type = oneOfIn(row, 'type', TYPES)
  // The readers of a type are checked against its data where they are declared.
  return {
    id: textIn(row, 'id'),
    atMs: integerIn(row, 'at_ms'),
    workspaceId: textIn(row, 'workspace_id'),
    actor: { id: textIn(row, 'actor_id'), name: textIn(row, 'actor_name') },
    keyId: textIn(row, 'key_id'),
    type,
    data: fieldsIn<AuditEventRecord['data']>(objectIn(row, 'data'), { ...SNAPSHOT, ...OWN[type] }),
  } as AuditEventRecord
}

function changedIn(data: SqlRow, column: string): ChangedFields {
  const fields = objectIn(data, column)
  const known = Object.entries(CHANGED).filter(([name]) => Object.hasOwn(fields, name))
  return fieldsIn(fields, Object.fromEntries(known))
}

function fieldsIn<T>(row: SqlRow, readers: Readonly<Record<string, Read<unknown>>>): T {
  const fields = Object.entries(readers).map(([name, read]) => [name, read(row, name)])
  return Object.fromEntries(fields)
}

/** Every name of a union; a table that lacks one does not compile. */
function namesOf<Name extends string>(table: Readonly<Record<Name, true>>): readonly Name[] {
  return Object.keys(table) as Name[]
}
