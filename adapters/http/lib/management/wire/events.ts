import * as z from 'zod/mini'
import type { ChangedFields, KeySnapshot } from '../../../../../src/events/index.ts'
import type { AuditEvent } from '../../../../../src/index.ts'
import { environment, instant, type OnWire, person } from './key.ts'

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

type DataOf<Type extends AuditEvent['type']> = Extract<AuditEvent, { readonly type: Type }>['data']

/** What an event of each type says beside the snapshot. */
type Beside = {
  readonly [Type in AuditEvent['type']]: {
    readonly [Field in Exclude<keyof DataOf<Type>, keyof KeySnapshot>]: z.ZodMiniType<
      DataOf<Type>[Field],
      DataOf<Type>[Field]
    >
  }
}

const changed: z.ZodMiniType<ChangedFields, ChangedFields> = z.strictObject({
  name: z.exactOptional(z.string()),
  scopes: z.exactOptional(z.array(z.string())),
  expiresAt: z.exactOptional(z.nullable(instant)),
  metadata: z.exactOptional(
    z.array(z.string()).check(z.describe('The names of the entries, as far as they are shown.')),
  ),
})

const BESIDE: Beside = {
  'api_key.created': {},
  'api_key.imported': { format: z.string() },
  'api_key.updated': { before: changed, after: changed },
  'api_key.paused': {},
  'api_key.resumed': {},
  'api_key.rotated': {
    replacementId: z.string(),
    replacementPrefix: z.string(),
    replacementScopes: z.array(z.string()),
    overlapEndsAt: z.nullable(instant),
  },
  'api_key.revoked': {
    endedOverlap: z.boolean(),
    reason: z.nullable(z.enum(['leaked', 'unused', 'other'])),
  },
  'api_key.expiring': { expiresAt: instant },
  'api_key.expired': { expiresAt: instant },
  'api_key.retired': { replacementId: z.string(), overlapEndsAt: instant },
}

const SNAPSHOT = {
  name: z.string(),
  environment,
  scopes: z.array(z.string()),
  prefix: z.string(),
} satisfies { readonly [Field in keyof KeySnapshot]: z.ZodMiniType }

const types = Object.keys(BESIDE) as readonly AuditEvent['type'][]

/** The schema of a page of events. */
export const keyEventsSchema = z.strictObject({
  events: z.array(z.union(types.map(eventSchema))),
  nextCursor: z.nullable(z.string()),
}) as unknown as z.ZodMiniType<KeyEventsAnswer, KeyEventsAnswer>

function eventSchema(type: AuditEvent['type']) {
  return z.strictObject({
    id: z.string(),
    type: z.literal(type),
    at: instant,
    actor: person,
    keyId: z.string(),
    data: z.strictObject({ ...SNAPSHOT, ...BESIDE[type] }),
  })
}

/** An event as it is sent: only the fields above, and of the metadata only the names that are shown. */
export function toWireEvent(event: AuditEvent, shownMetadata: readonly string[]): WireKeyEvent {
  const { id, type, at, actor, keyId, data } = event
  const fields = [...Object.keys(SNAPSHOT), ...Object.keys(BESIDE[type])]
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
