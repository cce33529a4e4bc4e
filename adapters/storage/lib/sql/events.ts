import {
  type AuditEventRecord,
  ERASED_PERSON,
  type EventClaim,
  type EventPage,
  type EventQuery,
  type PersonQuery,
  type Progress,
} from '../../../../src/storage/index.ts'
import { EVENT_COLUMNS } from './columns.ts'
import type { Dialect } from './dialect.ts'
import { auditEventFrom, eventPageFrom } from './rows.ts'
import { raw, type Sql, sql } from './sql.ts'
import { changesOf, each, rowsOf, type Work } from './work.ts'

const EVENT = raw(EVENT_COLUMNS.join(', '))

export function* events(
  of: Dialect,
  workspaceId: string,
  { after, keyId = null, newestFirst = false, limit }: EventQuery,
): Work<EventPage> {
  const [beyond, order] = newestFirst ? [raw('<'), raw('DESC')] : [raw('>'), raw('ASC')]
  const first = newestFirst ? Number.MAX_SAFE_INTEGER : 0
  const ofKey = keyId === null ? raw('') : sql`AND key_id = ${keyId}`
  const rows = yield* rowsOf(sql`SELECT ${EVENT}, place
    FROM ${of.table('events')} ${of.along(keyId === null ? 'events_of_workspace' : 'events_of_key')}
    WHERE workspace_id = ${workspaceId} ${ofKey} AND place ${beyond} ${after ?? first}
    ORDER BY place ${order} LIMIT ${limit}`)
  return eventPageFrom(rows)
}

function pendingOf(of: Dialect, { except }: EventClaim): Sql {
  const others = except.length === 0 ? raw('') : sql`AND workspace_id NOT IN ${of.list(except)}`
  return sql`${of.table('events')} ${of.along('events_pending')} WHERE is_pending = 1 ${others}`
}

/** Whether there is anything to claim; looked at first, so that an idle relay writes nothing. */
export function* anyPending(of: Dialect, claim: EventClaim): Work<boolean> {
  const rows = yield* rowsOf(sql`SELECT 1 AS one FROM ${pendingOf(of, claim)} LIMIT 1`)
  return rows.length > 0
}

/** A lease that ends later than it can is from before the clock was set back. */
export function* claimEvents(of: Dialect, claim: EventClaim): Work<readonly AuditEventRecord[]> {
  const { relay, leaseMs, limit } = claim
  const [, { rows }] = yield* each(
    sql`UPDATE ${of.table('relay')}
      SET relay = ${relay}, leased_until_ms = ${of.nowMs} + ${leaseMs}, lease_ms = ${leaseMs}
      WHERE one = 1 AND (relay IS NULL OR relay = ${relay} OR leased_until_ms <= ${of.nowMs}
        OR leased_until_ms > ${of.nowMs} + 2 * lease_ms)`,
    sql`SELECT ${EVENT} FROM ${pendingOf(of, claim)} AND ${isHeldBy(of, relay)}
      ORDER BY position LIMIT ${limit}`,
  )
  return rows.map(auditEventFrom)
}

function isHeldBy(of: Dialect, relay: string): Sql {
  return sql`${relay} = (SELECT relay FROM ${of.table('relay')} WHERE one = 1)`
}

export function* acknowledgeEvents(
  of: Dialect,
  relay: string,
  eventIds: readonly string[],
): Work<void> {
  const listed = sql`id IN ${of.list(eventIds)} AND ${isHeldBy(of, relay)}`
  yield [
    sql`UPDATE ${of.table('events')} SET is_pending = 0 WHERE ${listed} AND is_pending = 1`,
    sql`DELETE FROM ${of.table('events')} WHERE ${listed} AND is_pending = 0
      AND EXISTS (SELECT 1 FROM ${of.table('workspaces')} AS w
        WHERE w.id = workspace_id AND w.is_erased = 1)`,
  ]
}

export function* releaseEvents(of: Dialect, relay: string): Work<void> {
  yield [sql`UPDATE ${of.table('relay')} SET relay = NULL WHERE relay = ${relay}`]
}

export function* renameActor(of: Dialect, { personId, limit }: PersonQuery): Work<Progress> {
  const { id, name } = ERASED_PERSON
  const where = sql`actor_id = ${personId}`
  const named = of.some({ table: 'events', where, order: 'actor_id', limit })
  const renamed = yield* changesOf(sql`UPDATE ${of.table('events')}
    SET actor_id = ${id}, actor_name = ${name} ${named}`)
  return { keys: 0, events: renamed, more: renamed === limit }
}
