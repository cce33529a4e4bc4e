import type { ChangedFields } from '../../../src/events/index.ts'
import type { Environment, RevocationReason } from '../../../src/index.ts'
import type { AuditEventRecord } from '../../../src/storage/index.ts'
import {
  integerIn,
  objectIn,
  oneOfIn,
  optionalTextIn,
  type SqlRow,
  textIn,
  textsIn,
} from './row.ts'

const TYPES = namesOf<AuditEventRecord['type']>({
  'api_key.created': true,
  'api_key.imported': true,
  'api_key.updated': true,
  'api_key.paused': true,
  'api_key.resumed': true,
  'api_key.rotated': true,
  'api_key.revoked': true,
  'api_key.expiring': true,
  'api_key.expired': true,
  'api_key.retired': true,
})
const ENVIRONMENTS = namesOf<Environment>({ live: true, test: true })
const REASONS = namesOf<RevocationReason>({ leaked: true, unused: true, other: true })

/**
 * The event in a row with the columns `id`, `at_ms`, `workspace_id`, `actor_id`, `actor_name`,
 * `key_id`, `type` and `data` (a JSON object). Throws `StorageError` (`broken_row`) rather than guess.
 */
export function auditEventFrom(row: SqlRow): AuditEventRecord {
  const type = oneOfIn(row, 'type', TYPES)
  const base = {
    id: textIn(row, 'id'),
    atMs: integerIn(row, 'at_ms'),
    workspaceId: textIn(row, 'workspace_id'),
    actor: { id: textIn(row, 'actor_id'), name: textIn(row, 'actor_name') },
    keyId: textIn(row, 'key_id'),
  }
  const data = objectIn(row, 'data')
  const snapshot = {
    name: textIn(data, 'name'),
    environment: oneOfIn(data, 'environment', ENVIRONMENTS),
    scopes: textsIn(data, 'scopes'),
    prefix: textIn(data, 'prefix'),
  }
  switch (type) {
    case 'api_key.imported':
      return { ...base, type, data: { ...snapshot, format: textIn(data, 'format') } }
    case 'api_key.rotated':
      return { ...base, type, data: { ...snapshot, ...rotationIn(data) } }
    case 'api_key.revoked':
      return { ...base, type, data: { ...snapshot, ...revocationIn(data) } }
    case 'api_key.expiring':
    case 'api_key.expired':
      return { ...base, type, data: { ...snapshot, expiresAt: textIn(data, 'expiresAt') } }
    case 'api_key.retired': {
      const [replacementId, overlapEndsAt] = [
        textIn(data, 'replacementId'),
        textIn(data, 'overlapEndsAt'),
      ]
      return { ...base, type, data: { ...snapshot, replacementId, overlapEndsAt } }
    }
    case 'api_key.updated': {
      const [before, after] = [changedIn(data, 'before'), changedIn(data, 'after')]
      return { ...base, type, data: { ...snapshot, before, after } }
    }
    default:
      return { ...base, type, data: snapshot }
  }
}

/**
 * What an event of a rotation says beside the snapshot. Those of schema version 1 know no overlap, and
 * no scopes but those of the old key.
 */
function rotationIn(data: SqlRow) {
  const overlapEndsAt = data['overlapEndsAt'] ?? null
  const replacementScopes = data['replacementScopes'] ?? data['scopes']
  return {
    replacementId: textIn(data, 'replacementId'),
    replacementPrefix: textIn(data, 'replacementPrefix'),
    replacementScopes: textsIn({ replacementScopes }, 'replacementScopes'),
    overlapEndsAt: optionalTextIn({ overlapEndsAt }, 'overlapEndsAt'),
  }
}

/** What an event of a revocation says beside the snapshot. Those of schema version 1 say nothing. */
function revocationIn(data: SqlRow) {
  const endedOverlap = data['endedOverlap'] === true
  return { endedOverlap, reason: data['reason'] ? oneOfIn(data, 'reason', REASONS) : null }
}

const CHANGED: {
  readonly [Field in keyof ChangedFields]-?: (row: SqlRow, column: string) => ChangedFields[Field]
} = { name: textIn, scopes: textsIn, expiresAt: optionalTextIn, metadata: textsIn }

function changedIn(data: SqlRow, column: string): ChangedFields {
  const fields = objectIn(data, column)
  const known = (Object.keys(CHANGED) as (keyof ChangedFields)[]).filter((name) =>
    Object.hasOwn(fields, name),
  )
  return Object.fromEntries(known.map((name) => [name, CHANGED[name](fields, name)]))
}

/** Every name of a union; a table that lacks one does not compile. */
function namesOf<Name extends string>(table: Readonly<Record<Name, true>>): readonly Name[] {
  return Object.keys(table) as Name[]
}
