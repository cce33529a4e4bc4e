import type { AuditEventRecord, EventClaim, EventQuery } from '../../../../src/storage/index.ts'
import { auditEventFrom } from '../event-row.ts'
import { integerIn, rowFrom } from '../row.ts'
import type { SqlStatements } from './statements.ts'
import { assertOneRow, changesOf, rowsOf, type Work } from './work.ts'

/** Appends the event; the schema puts it up for delivery. */
export function* insertEvent(sql: SqlStatements, event: AuditEventRecord): Work<void> {
  const { id, workspaceId, keyId, type, atMs, actor, data } = event
  const what = [id, workspaceId, keyId, type, atMs]
  assertOneRow(yield sql.insertEvent.run(...what, actor.id, actor.name, JSON.stringify(data)))
}

/** Whether the event is stored already. */
export function* hasEvent(
  sql: SqlStatements,
  { id, workspaceId }: AuditEventRecord,
): Work<boolean> {
  return (yield* positionOf(sql, workspaceId, id)) !== null
}

/** See `KeyStorage.events`. */
export function* events(
  sql: SqlStatements,
  workspaceId: string,
  { after, keyId = null, newestFirst = false, limit }: EventQuery,
): Work<readonly AuditEventRecord[] | null> {
  const first = newestFirst ? Number.MAX_SAFE_INTEGER : 0
  const position = after === null ? first : yield* positionOf(sql, workspaceId, after)
  if (position === null) return null
  const order = newestFirst ? 'newest' : 'oldest'
  const rows = yield keyId === null
    ? sql[`${order}Events`].all(workspaceId, position, limit)
    : sql[`${order}EventsOfKey`].all(keyId, workspaceId, position, limit)
  return rowsOf(rows).map(eventFrom)
}

/** Whether there is anything to claim; checked first, so that an idle relay writes nothing. */
export function* anyPending(sql: SqlStatements, { except }: EventClaim): Work<boolean> {
  return Boolean(yield sql.anyPending.get(JSON.stringify(except)))
}

/** See `KeyStorage.claimEvents`. */
export function* claimEvents(
  sql: SqlStatements,
  claim: EventClaim,
): Work<readonly AuditEventRecord[]> {
  const { relay, leaseMs, limit, except } = claim
  if (changesOf(yield sql.takeLease.run(relay, leaseMs, leaseMs)) === 0) return []
  return rowsOf(yield sql.pendingEvents.all(JSON.stringify(except), limit)).map(eventFrom)
}

/** See `KeyStorage.releaseEvents`. */
export function* releaseEvents(sql: SqlStatements, relay: string): Work<void> {
  yield sql.endLease.run(relay)
}

/** See `KeyStorage.acknowledgeEvents`. */
export function* acknowledgeEvents(
  sql: SqlStatements,
  relay: string,
  eventIds: readonly string[],
): Work<void> {
  if (!(yield sql.leaseOf.get(relay))) return
  yield* sql.acknowledge(eventIds)
}

function* positionOf(
  sql: SqlStatements,
  workspaceId: string,
  eventId: string,
): Work<number | null> {
  const row = yield sql.eventPosition.get(eventId, workspaceId, eventId, workspaceId)
  return row ? integerIn(rowFrom(row), 'position') : null
}

function eventFrom(row: unknown): AuditEventRecord {
  return auditEventFrom(rowFrom(row))
}
