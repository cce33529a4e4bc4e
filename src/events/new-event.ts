import { isSame } from '../lib/values.ts'
import type {
  AuditEvent,
  AuditEventRecord,
  ChangedFields,
  KeySnapshot,
} from '../model/audit-event.ts'
import type { Person } from '../model/key.ts'
import { CHANGEABLE_FIELDS, type KeyState, keyFields } from '../model/key-fields.ts'
import type { KeyRecord } from '../model/key-record.ts'
import { mintId } from '../secret/mint.ts'

interface Change {
  readonly actor: Person
  readonly atMs: number
}

type Type = AuditEvent['type']

/** What an event of a type says beside the snapshot of its key. */
type More<T extends Type> = Omit<
  Extract<AuditEvent, { readonly type: T }>['data'],
  keyof KeySnapshot
>

/** The event that records a change of a key. */
export function newEvent<T extends Type>(
  type: T,
  { id: keyId, workspaceId, name, environment, scopes, prefix }: KeyRecord,
  { actor, atMs }: Change,
  more: More<T>,
): AuditEventRecord {
  const by = Object.freeze({ id: actor.id, name: actor.name })
  const data = Object.freeze({ name, environment, scopes, prefix, ...more })
  const event = { id: mintId('evt'), atMs, workspaceId, actor: by, keyId, type, data }
  return Object.freeze(event) as unknown as AuditEventRecord
}

/** The event that records an update: the fields that differ, before and after. */
export function updateEvent(before: KeyRecord, state: KeyState, change: Change): AuditEventRecord {
  const after = { ...before, ...state }
  const more = { before: changedFields(before, after), after: changedFields(after, before) }
  return newEvent('api_key.updated', after, change, more)
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

/** An instant as events have it. */
export function textOf(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString()
}
