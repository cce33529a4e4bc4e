import type { Person } from '../keys/api-key.ts'
import { mintId } from '../secret/mint.ts'
import type { KeyRecord } from '../storage/contract.ts'
import type { AuditEventRecord } from './audit-event.ts'

/** The event that records a creation or a revocation of the key of `record`. */
export function auditEvent(
  type: 'api_key.created' | 'api_key.revoked',
  record: KeyRecord,
  actor: Person,
  atMs: number,
): AuditEventRecord {
  return Object.freeze({ ...base(record, actor, atMs), type, data: snapshot(record) })
}

/** The event that records a rotation: the replaced key, and which key took its place. */
export function rotationEvent(
  replaced: KeyRecord,
  replacement: KeyRecord,
  actor: Person,
): AuditEventRecord {
  return Object.freeze({
    ...base(replaced, actor, replacement.createdAtMs),
    type: 'api_key.rotated',
    data: Object.freeze({
      ...snapshot(replaced),
      replacementId: replacement.id,
      replacementPrefix: replacement.prefix,
    }),
  })
}

function base({ id, workspaceId }: KeyRecord, { id: actorId, name }: Person, atMs: number) {
  const actor = Object.freeze({ id: actorId, name })
  return { id: mintId('evt'), atMs, workspaceId, actor, keyId: id }
}

function snapshot({ name, environment, scopes, prefix }: KeyRecord) {
  return Object.freeze({ name, environment, scopes, prefix })
}
