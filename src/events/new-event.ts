import { isSame } from '../lib/values.ts'
import type { AuditEventRecord, ChangedFields } from '../model/audit-event.ts'
import type { Person } from '../model/key.ts'
import { CHANGEABLE_FIELDS, type KeyState, keyFields } from '../model/key-fields.ts'
import type { KeyRecord } from '../model/key-record.ts'
import { SYSTEM } from '../model/own-actors.ts'
import type { RevocationReason } from '../model/revocation-reason.ts'
import { mintId } from '../secret/mint.ts'

interface Change {
  readonly actor: Person
  readonly atMs: number
}

/** The event that records a change which says nothing but the state of the key. */
export function auditEvent(
  type: 'api_key.created' | 'api_key.paused' | 'api_key.resumed',
  record: KeyRecord,
  change: Change,
): AuditEventRecord {
  return Object.freeze({ ...base(record, change), type, data: snapshot(record) })
}

export function importEvent(record: KeyRecord, change: Change): AuditEventRecord {
  const data = Object.freeze({ ...snapshot(record), format: String(record.format) })
  return Object.freeze({ ...base(record, change), type: 'api_key.imported', data })
}

interface Revocation extends Change {
  readonly endedOverlap: boolean
  readonly reason: RevocationReason | null
}

export function revocationEvent(
  record: KeyRecord,
  { endedOverlap, reason, ...change }: Revocation,
): AuditEventRecord {
  const data = Object.freeze({ ...snapshot(record), endedOverlap, reason })
  return Object.freeze({ ...base(record, change), type: 'api_key.revoked', data })
}

export function rotationEvent(
  replaced: KeyRecord,
  replacement: KeyRecord,
  { actor, overlapEndsAtMs }: { readonly actor: Person; readonly overlapEndsAtMs: number | null },
): AuditEventRecord {
  return Object.freeze({
    ...base(replaced, { actor, atMs: replacement.createdAtMs }),
    type: 'api_key.rotated',
    data: Object.freeze({
      ...snapshot(replaced),
      replacementId: replacement.id,
      replacementPrefix: replacement.prefix,
      replacementScopes: replacement.scopes,
      overlapEndsAt: textOf(overlapEndsAtMs),
    }),
  })
}

/** The event that records an update: the fields that differ, before and after. */
export function updateEvent(before: KeyRecord, state: KeyState, change: Change): AuditEventRecord {
  const after = { ...before, ...state }
  const data = Object.freeze({
    ...snapshot(after),
    before: changedFields(before, after),
    after: changedFields(after, before),
  })
  return Object.freeze({ ...base(before, change), type: 'api_key.updated', data })
}

/** The fields in which a state differs from another; of metadata only the names of the entries. */
function changedFields(state: KeyState, other: KeyState): ChangedFields {
  const changed = CHANGEABLE_FIELDS.filter((field) => !isSame(state[field], other[field]))
  const names = Object.keys(state.metadata).filter(
    (entry) => state.metadata[entry] !== other.metadata[entry],
  )
  const fields = {
    ...state,
    expiresAtMs: textOf(state.expiresAtMs),
    metadata: Object.freeze(names),
  }
  return Object.freeze(
    Object.fromEntries(changed.map((field) => [keyFields[field].view, fields[field]])),
  )
}

/** The event that says that a key expires, at the instant that it is about. */
export function expiryEvent(
  record: KeyRecord,
  { atMs, expiresAtMs }: { readonly atMs: number; readonly expiresAtMs: number },
): AuditEventRecord {
  const type = atMs < expiresAtMs ? 'api_key.expiring' : 'api_key.expired'
  const expiresAt = new Date(expiresAtMs).toISOString()
  const data = Object.freeze({ ...snapshot(record), expiresAt })
  return Object.freeze({ ...base(record, { actor: SYSTEM, atMs }), type, data })
}

export function retirementEvent(
  record: KeyRecord,
  { atMs, replacementId }: { readonly atMs: number; readonly replacementId: string },
): AuditEventRecord {
  const overlapEndsAt = new Date(atMs).toISOString()
  const data = Object.freeze({ ...snapshot(record), replacementId, overlapEndsAt })
  const common = base(record, { actor: SYSTEM, atMs })
  return Object.freeze({ ...common, type: 'api_key.retired', data })
}

function textOf(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString()
}

function base({ id, workspaceId }: KeyRecord, { actor, atMs }: Change) {
  const by = Object.freeze({ id: actor.id, name: actor.name })
  return { id: mintId('evt'), atMs, workspaceId, actor: by, keyId: id }
}

function snapshot({ name, environment, scopes, prefix }: KeyRecord) {
  return Object.freeze({ name, environment, scopes, prefix })
}
