import type { AuditEventRecord } from '../../../src/storage/index.ts'
import { integerIn, objectIn, oneOfIn, type SqlRow, textIn, textsIn } from './row.ts'

const TYPES = ['api_key.created', 'api_key.rotated', 'api_key.revoked'] as const
const ENVIRONMENTS = ['live', 'test'] as const

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
  if (type !== 'api_key.rotated') return { ...base, type, data: snapshot }
  const replacementId = textIn(data, 'replacementId')
  const replacementPrefix = textIn(data, 'replacementPrefix')
  return { ...base, type, data: { ...snapshot, replacementId, replacementPrefix } }
}
