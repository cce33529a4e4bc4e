import type { ChangedFields } from '../../../../../src/events/index.ts'
import type { AuditEvent } from '../../../../../src/index.ts'
import { eventTypes, snapshotFields } from '../../../../../src/storage/index.ts'
import type { OnWire } from './key.ts'

/** An entry of the audit log as the management routes send it. */
export type WireKeyEvent<E extends AuditEvent = AuditEvent> = E extends AuditEvent
  ? OnWire<Omit<E, 'workspaceId'>>
  : never

/** One page of what happened to a key, newest first. */
export interface KeyEventsAnswer {
  /**
   * The events of this page, newest first. The last page of a replacement ends with the rotation that it
   * came from, which is an event of the replaced key.
   */
  readonly events: readonly WireKeyEvent[]
  /** Send it as `cursor` to get the next page; `null` on the last. */
  readonly nextCursor: string | null
}

/** An event as it is sent: only the fields above, and of the metadata only the names that are shown. */
export function toWireEvent(event: AuditEvent, shownMetadata: readonly string[]): WireKeyEvent {
  const { id, type, at, actor, keyId, data } = event
  const fields = Object.keys({ ...snapshotFields, ...eventTypes[type] })
  const known = fields.map((field) => [field, shownOf(Reflect.get(data, field), shownMetadata)])
  const sent = { id, type, at: at.toISOString(), actor: { id: actor.id, name: actor.name }, keyId }
  return { ...sent, data: Object.fromEntries(known) } as unknown as WireKeyEvent
}

/** What an update has changed names entries of the metadata; other values have none. */
function shownOf(value: unknown, shownMetadata: readonly string[]): unknown {
  const { metadata, ...others }: ChangedFields = Object(value)
  if (metadata === undefined) return value
  const shown = metadata.filter((name) => shownMetadata.includes(name))
  return shown.length === 0 ? others : { ...others, metadata: shown }
}
