import type { Context } from '../context.ts'
import { toAuditEvent } from '../events/api-key-event.ts'
import type { AuditEvent } from '../model/audit-event.ts'
import { eventsAnswer } from '../storage/answers.ts'
import { parseInput } from './input/parse.ts'
import { cursorAt, placeAt } from './read-page.ts'

/** Which audit events of a workspace to read. @inline */
export interface ListEventsQuery {
  /** Whose audit log. */
  readonly workspaceId: string
  /** Only the events of the key with this id. Default: of all keys. */
  readonly keyId?: string | null | undefined
  /** Whether the newest event is the first. Default `false`: the oldest is. */
  readonly newestFirst?: boolean | undefined
  /** The `nextCursor` of the page before, in the same order; none to begin at the first event. */
  readonly cursor?: string | null | undefined
  /** Events in a page: 1 to 200, default 50. */
  readonly limit?: number | undefined
}

/** One page of a workspace's audit log. */
export interface EventList {
  /** The events of this page, in the order of the query. */
  readonly events: readonly AuditEvent[]
  /**
   * The place after the last event of this page, to continue from now or later; the cursor that was given, or
   * `null`, when the page is empty.
   */
  readonly nextCursor: string | null
}

export async function listEvents<S extends string>(
  context: Context<S>,
  input: ListEventsQuery,
): Promise<EventList> {
  const { workspaceId, cursor, ...rest } = parseInput(context.schemas.events, input)
  const filters = { workspaceId, of: 'events' }
  const query = { ...rest, after: cursor === null ? null : placeAt(cursor, filters) }
  const { storage } = context.settings
  const { events, last } = await context.calls.run(
    'events',
    (call) => storage.events(workspaceId, query, call),
    (answer) => eventsAnswer(answer, workspaceId, query.limit),
  )
  return Object.freeze({
    events: Object.freeze(events.map(toAuditEvent)),
    nextCursor: last === null ? cursor : cursorAt(last, filters),
  })
}
