import type { AuditEventRecord, EventClaim, EventQuery } from '../../../../src/storage/index.ts'
import { auditEventFrom } from '../event-row.ts'
import { integerIn, rowFrom } from '../row.ts'
import { checkIntegers, checkStorableEvent, checkTexts, isStorableText } from '../storable.ts'
import { assertOneRow } from './one-row.ts'
import type { Statements } from './statements.ts'
import { snapshot } from './transaction.ts'

/** Appends the event; the schema puts it up for delivery. */
export function insertEvent(sql: Statements, event: AuditEventRecord): void {
  checkStorableEvent(event)
  const { id, workspaceId, keyId, type, atMs, actor, data } = event
  const what = [id, workspaceId, keyId, type, atMs]
  assertOneRow(sql.insertEvent.run(...what, actor.id, actor.name, JSON.stringify(data)))
}

/** Whether the event is stored already. */
export function hasEvent(sql: Statements, { id, workspaceId }: AuditEventRecord): boolean {
  return positionOf(sql, workspaceId, id) !== null
}

/** See `KeyStorage.events`. */
export function events(
  sql: Statements,
  workspaceId: string,
  { after, keyId = null, newestFirst = false, limit }: EventQuery,
): readonly AuditEventRecord[] | null {
  if (![workspaceId, keyId ?? ''].every(isStorableText)) return after === null ? [] : null
  return snapshot(sql, () => {
    const first = newestFirst ? Number.MAX_SAFE_INTEGER : 0
    const position = after === null ? first : positionOf(sql, workspaceId, after)
    if (position === null) return null
    const order = newestFirst ? 'newest' : 'oldest'
    const rows =
      keyId === null
        ? sql[`${order}Events`].all(workspaceId, position, limit)
        : sql[`${order}EventsOfKey`].all(keyId, workspaceId, position, limit)
    return rows.map(eventFrom)
  })
}

/** Whether there is anything to claim; asked first, so that an idle relay writes nothing. */
export function anyPending(sql: Statements, { except }: EventClaim): boolean {
  return Boolean(sql.anyPending.get(listOf(except)))
}

/** See `KeyStorage.claimEvents`. */
export function claimEvents(sql: Statements, claim: EventClaim): readonly AuditEventRecord[] {
  const { relay, leaseMs, limit, except } = claim
  checkTexts([relay])
  checkIntegers([leaseMs])
  if (Number(sql.takeLease.run(relay, leaseMs, leaseMs).changes) === 0) return []
  return sql.pendingEvents.all(listOf(except), limit).map(eventFrom)
}

/** See `KeyStorage.releaseEvents`. */
export function releaseEvents(sql: Statements, relay: string): void {
  if (isStorableText(relay)) sql.endLease.run(relay)
}

/** See `KeyStorage.acknowledgeEvents`. */
export function acknowledgeEvents(
  sql: Statements,
  relay: string,
  eventIds: readonly string[],
): void {
  if (!isStorableText(relay) || !sql.leaseOf.get(relay)) return
  for (const id of eventIds) {
    if (!isStorableText(id)) continue
    const { changes } = sql.acknowledgeEvent.run(id)
    if (Number(changes) > 0) sql.deleteErasedEvent.run(id)
  }
}

/** A list as one value. Texts that cannot be stored name no workspace. */
function listOf(texts: readonly string[]): string {
  return JSON.stringify(texts.filter(isStorableText))
}

function positionOf(sql: Statements, workspaceId: string, eventId: string): number | null {
  if (!isStorableText(eventId)) return null
  const row = sql.eventPosition.get(eventId, workspaceId, eventId, workspaceId)
  return row ? integerIn(rowFrom(row), 'position') : null
}

function eventFrom(row: unknown): AuditEventRecord {
  return auditEventFrom(rowFrom(row))
}
