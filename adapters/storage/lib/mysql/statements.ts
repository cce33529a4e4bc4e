import { nextNoticeAt } from '../../../../src/storage/index.ts'
import { EXPIRED_AHEAD_MS } from '../decision.ts'
import { KEY_COLUMNS, STATE_COLUMNS } from '../key-columns.ts'
import { hasExpired } from '../key-conditions.ts'
import { integerIn, rowFrom } from '../row.ts'
import {
  AT_VERSION,
  CHANGED,
  commonStatements,
  RECORD_COLUMNS,
  STORED_COLUMNS,
  STORED_KEYS,
} from '../sql/common-statements.ts'
import { inParts, listOf } from '../sql/in-lists.ts'
import { Touched } from '../sql/log.ts'
import type { SqlStatements } from '../sql/statements.ts'
import { assertOneRow, type SqlValue, type Work } from '../sql/work.ts'
import { NOW_MS } from './clock.ts'
import { erasureStatements } from './erasure-statements.ts'
import { ACTIVE_KEYS, pages } from './pages.ts'
import { made, Query, statement } from './query.ts'
import { usageStatements } from './usage-statements.ts'
import { lockOf } from './writable.ts'

const EVENT_COLUMNS = 'id, workspace_id, key_id, type, at_ms, actor_id, actor_name, data'

/**
 * Every statement of the storage. What triggers do on other databases is done here by further statements of
 * the same transaction: not every server that speaks this protocol has triggers.
 */
export const STATEMENTS: SqlStatements = {
  ...commonStatements(statement),
  activeKeys: statement(ACTIVE_KEYS),
  expiredTo:
    statement(`SELECT LEAST(expired_to_ms, ${NOW_MS} + ${EXPIRED_AHEAD_MS}) AS expired_to_ms
    FROM miftah_workspaces WHERE workspace_id = ?`),
  lastExpired:
    statement(`SELECT LEAST(MAX(expires_at_ms), ${NOW_MS} + ${EXPIRED_AHEAD_MS}) AS end_ms
    FROM miftah_keys WHERE workspace_id = ? AND ${hasExpired('?')}`),
  // The lock of a workspace is its row, so there always is one.
  noteFirstExpired: made(() => null),
  pages,
  insertKey: made(insertKey),
  updateKey: made(updateKey),
  endKey: made(endKey),
  revokeKey: made(revokeKey),
  // The lock of a workspace is a change of its row, so that every commit waits for the disk.
  writeRow: made(() => null),
  removeRow: made(() => null),

  ...usageStatements,

  oldestEvents: statement(eventPage('', '')),
  newestEvents: statement(eventPage('', 'DESC')),
  oldestEventsOfKey: statement(eventPage('key_id = ? AND ', '')),
  newestEventsOfKey: statement(eventPage('key_id = ? AND ', 'DESC')),

  anyPending: made((except) => pending('SELECT 1', except, 'LIMIT 1')),
  // A lease that ends later than it possibly can is from before the clock was set back.
  takeLease: made((relay, leaseMs) =>
    statement(`UPDATE miftah_lease SET writes = writes + 1,
      relay = ?, until_ms = ${NOW_MS} + ?, lease_ms = ?
      WHERE one = 1 AND (relay IS NULL OR relay = ? OR until_ms <= ${NOW_MS}
        OR until_ms > ${NOW_MS} + 2 * lease_ms)`).run(
      ...([relay, leaseMs, leaseMs, relay] as SqlValue[]),
    ),
  ),
  pendingEvents: made((except, limit) =>
    pending(`SELECT ${EVENT_COLUMNS}`, except, `ORDER BY position LIMIT ${Number(limit)}`),
  ),
  // Written: another relay may be taking the lease on another server of a cluster.
  leaseOf: made(leaseOf),
  endLease: statement('UPDATE miftah_lease SET relay = NULL WHERE relay = ?'),
  acknowledge,

  dueNotices: statement(`SELECT notice_at_ms AS due_at_ms, ${STORED_COLUMNS} FROM ${STORED_KEYS}
    WHERE notice_at_ms <= ? ORDER BY notice_at_ms LIMIT ?`),
  isNoticeDue: made(isNoticeDue),
  moveNotice: statement('UPDATE miftah_keys SET notice_at_ms = ? WHERE id = ?'),
  endNotice: statement('UPDATE miftah_keys SET notice_at_ms = NULL WHERE id = ?'),

  ...erasureStatements,
}

const COLUMNS = KEY_COLUMNS.map(({ name }) => name)

const INSERT_KEY = statement(`INSERT INTO miftah_keys (${[...RECORD_COLUMNS, 'notice_at_ms']})
  VALUES ${listOf([...RECORD_COLUMNS, 'notice_at_ms'])}`)
const INSERT_USAGE = statement('INSERT INTO miftah_usage (key_id, uses) VALUES (?, 0)')

function* insertKey(hash: SqlValue = null, ...values: SqlValue[]): Work<unknown> {
  const cellOf = (column: string) => values[COLUMNS.indexOf(column)] ?? null
  const noticeAtMs = noticeOf(cellOf, cellOf('updated_at_ms'))
  const answer = yield INSERT_KEY.run(hash, ...values, noticeAtMs)
  assertOneRow(yield INSERT_USAGE.run(cellOf('id')))
  return answer
}

const STATE = STATE_COLUMNS.map(({ name }) => name)

// The notice comes first: what is set after it would be read in it.
const UPDATE_KEY = statement(`UPDATE miftah_keys
  SET notice_at_ms = IF(expires_at_ms <=> ?, notice_at_ms, ?),
    ${STATE.map((name) => `${name} = ?`).join(', ')}, ${CHANGED} WHERE ${AT_VERSION}`)

function* updateKey(...values: SqlValue[]): Work<unknown> {
  const cellOf = (column: string) => values[STATE.indexOf(column)] ?? null
  const [updatedAtMs = null, id = null] = values.slice(STATE.length)
  yield new Touched([id])
  return yield UPDATE_KEY.run(
    ...[cellOf('expires_at_ms'), noticeOf(cellOf, updatedAtMs)],
    ...values,
  )
}

/** When the log next reports the end of a key with such columns; the others count as empty. */
function noticeOf(cellOf: (column: string) => SqlValue, afterMs: SqlValue): number | null {
  const instant = (column: string) => cellOf(column) as number | null
  const lifetime = {
    expiresAtMs: instant('expires_at_ms'),
    retiresAtMs: instant('retires_at_ms'),
    revokedAtMs: instant('revoked_at_ms'),
    pausedAtMs: null,
  }
  return nextNoticeAt(lifetime, Number(afterMs))
}

const END_KEY = statement(`UPDATE miftah_keys SET notice_at_ms = ?,
  revoked_at_ms = ?, retires_at_ms = ?, replaced_by = ?, ${CHANGED} WHERE ${AT_VERSION}`)

function* endKey(...values: SqlValue[]): Work<unknown> {
  const [, retiresAtMs = null, , , id = null] = values
  yield new Touched([id])
  return yield END_KEY.run(retiresAtMs, ...values)
}

// A revocation after an overlap leaves the notice: nothing else reports that end.
const REVOKE_KEY = statement(`UPDATE miftah_keys
  SET notice_at_ms = IF(retires_at_ms <=> ?, notice_at_ms, NULL), revoked_at_ms = ?, ${CHANGED}
  WHERE ${AT_VERSION} AND revoked_at_ms IS NULL`)

function* revokeKey(endMs: SqlValue = null, ...values: SqlValue[]): Work<unknown> {
  const [, id = null] = values
  yield new Touched([id])
  return yield REVOKE_KEY.run(endMs, endMs, ...values)
}

function eventPage(condition: string, order: '' | 'DESC'): string {
  return `SELECT ${EVENT_COLUMNS} FROM miftah_events
    WHERE ${condition}workspace_id = ? AND position ${order === 'DESC' ? '<' : '>'} ?
    ORDER BY position ${order} LIMIT ?`
}

/** `except` is a JSON array of workspaces. */
function pending(select: string, except: SqlValue = '[]', end: string): Query {
  const left: readonly string[] = JSON.parse(String(except))
  const others = left.length === 0 ? '' : ` AND workspace_id NOT IN ${listOf(left)}`
  const text = `${select} FROM miftah_events WHERE is_pending = 1${others} ${end}`
  return new Query(text, left, 'all')
}

const WRITE_LEASE = statement('UPDATE miftah_lease SET writes = writes + 1 WHERE relay = ?')

function* leaseOf(relay: SqlValue = null): Work<unknown> {
  const answer = yield WRITE_LEASE.run(relay)
  return Number(Object(answer).changes) > 0 ? answer : null
}

function* acknowledge(ids: readonly string[]): Work<void> {
  for (const part of inParts(ids)) {
    const isListed = `e.id IN ${listOf(part)}`
    const acknowledged = `UPDATE miftah_events AS e SET e.is_pending = NULL
      WHERE ${isListed} AND e.is_pending = 1`
    yield new Query(acknowledged, part, 'run')
    const erased = `DELETE e FROM miftah_events AS e
      JOIN miftah_workspaces AS w ON w.workspace_id = e.workspace_id AND w.is_erased = 1
      WHERE ${isListed}`
    yield new Query(erased, part, 'run')
  }
}

const NOTICE_DUE = statement(`SELECT 1 FROM miftah_keys
  WHERE id = ? AND notice_at_ms = ? AND workspace_id = ? AND version = ? LOCK IN SHARE MODE`)

function* isNoticeDue(...values: SqlValue[]): Work<unknown> {
  const [, , workspaceId] = values
  yield lockOf(String(workspaceId))
  return yield NOTICE_DUE.get(...values)
}

const CLOCK = new Query(`SELECT ${NOW_MS} AS now_ms`, [], 'get')

/** Work that answers the server's clock. */
export function* serverClock(): Work<number> {
  return integerIn(rowFrom(yield CLOCK), 'now_ms')
}
