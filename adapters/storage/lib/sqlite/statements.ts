import { ERASED_PERSON } from '../../../../src/storage/index.ts'
import { EXPIRED_AHEAD_MS } from '../decision.ts'
import { STATE_COLUMNS } from '../key-columns.ts'
import { hasExpired } from '../key-conditions.ts'
import {
  AT_VERSION,
  CHANGED,
  commonStatements,
  RECORD_COLUMNS,
  STORED_COLUMNS,
} from '../sql/common-statements.ts'
import { oneByOne } from '../sql/one-by-one.ts'
import { ACTIVE_KEYS } from './active-keys.ts'
import { NOW_MS } from './clock.ts'
import type { SqliteDatabase, SqliteStatement } from './driver.ts'
import { prepareHistory } from './history-statements.ts'
import { pagesOf } from './pages.ts'

const EVENT_COLUMNS =
  'e.id, e.workspace_id, e.key_id, e.type, e.at_ms, e.actor_id, e.actor_name, e.data'

/** Earlier than every instant that can be stored. */
const EARLIEST_MS = Number.MIN_SAFE_INTEGER

/** Later than every instant that can be stored. */
const LATEST_MS = Number.MAX_SAFE_INTEGER

/** When a key stopped or stops for good, as its index has it. */
const END_OF_KEY = `min(coalesce(revoked_at_ms, ${LATEST_MS}), coalesce(retires_at_ms, ${LATEST_MS}),
  coalesce(expires_at_ms, ${LATEST_MS}))`

/**
 * Every statement of the storage, prepared once for the life of a connection. Their parameters have
 * no numbers: better-sqlite3 takes `?1` for a name.
 */
export function prepareStatements(database: SqliteDatabase) {
  const prepare = (sql: string) => database.prepare(sql)
  // A CROSS JOIN keeps the order of the tables: the log is long, the outbox is not.
  const pending = `miftah_outbox AS o CROSS JOIN miftah_events AS e ON e.position = o.position
      WHERE e.workspace_id NOT IN (SELECT value FROM json_each(?))`
  const statements = {
    begin: prepare('BEGIN'),
    beginImmediate: prepare('BEGIN IMMEDIATE'),
    commit: prepare('COMMIT'),
    rollback: prepare('ROLLBACK'),
    savepoint: prepare('SAVEPOINT miftah_change'),
    release: prepare('RELEASE miftah_change'),
    rollbackToSavepoint: prepare('ROLLBACK TO miftah_change'),

    ...commonStatements(prepare),
    activeKeys: prepare(ACTIVE_KEYS),
    expiredTo: prepare(`SELECT min(expired_to_ms, ${NOW_MS} + ${EXPIRED_AHEAD_MS}) AS expired_to_ms
      FROM miftah_workspaces WHERE workspace_id = ?`),
    lastExpired: prepare(`SELECT min(max(expires_at_ms), ${NOW_MS} + ${EXPIRED_AHEAD_MS}) AS end_ms
      FROM miftah_keys WHERE workspace_id = ? AND ${hasExpired('?')}`),
    noteFirstExpired: prepare(`INSERT INTO miftah_workspaces
      (expired_to_ms, workspace_id, keys_without_end) VALUES (?, ?, 0)`),
    pages: pagesOf(database),
    insertKey: prepare(`INSERT INTO miftah_keys (${RECORD_COLUMNS})
      VALUES (${RECORD_COLUMNS.map(() => '?')})`),
    updateKey: prepare(`UPDATE miftah_keys
      SET ${STATE_COLUMNS.map(({ name }) => `${name} = ?`).join(', ')}, ${CHANGED} WHERE ${AT_VERSION}`),
    endKey: prepare(`UPDATE miftah_keys
      SET revoked_at_ms = ?, retires_at_ms = ?, replaced_by = ?, ${CHANGED} WHERE ${AT_VERSION}`),
    revokeKey: prepare(`UPDATE miftah_keys
      SET revoked_at_ms = ?, ${CHANGED} WHERE ${AT_VERSION} AND revoked_at_ms IS NULL`),
    // The position of no event: these begin at 1.
    writeRow: prepare('INSERT INTO miftah_outbox (position) VALUES (0)'),
    removeRow: prepare('DELETE FROM miftah_outbox WHERE position = 0'),

    // A stored instant that is ahead of the clock does not count: the bounded one replaces it.
    addUse: prepare(`UPDATE miftah_usage
      SET uses = min(uses + ?, ${Number.MAX_SAFE_INTEGER}), last_used_at_ms = max(
        iif(last_used_at_ms <= ${NOW_MS}, last_used_at_ms, ${EARLIEST_MS}), min(?, ${NOW_MS}))
      WHERE key_id = ?`),
    ...prepareHistory(database),
    advanceWriter: prepare(`INSERT INTO miftah_writers (writer, sequence, seen_at_s)
      VALUES (?, ?, unixepoch())
      ON CONFLICT (writer) DO UPDATE SET sequence = excluded.sequence, seen_at_s = excluded.seen_at_s
      WHERE excluded.sequence > sequence`),
    forgetWriters: prepare(`DELETE FROM miftah_writers WHERE writer IN (
      SELECT writer FROM miftah_writers WHERE seen_at_s < unixepoch() - ?
      ORDER BY seen_at_s LIMIT 100)`),

    oldestEvents: prepare(eventPage('of_workspace', '')),
    newestEvents: prepare(eventPage('of_workspace', 'DESC')),
    oldestEventsOfKey: prepare(eventPage('of_key', '')),
    newestEventsOfKey: prepare(eventPage('of_key', 'DESC')),

    anyPending: prepare(`SELECT 1 FROM ${pending} LIMIT 1`),
    // A lease that ends later than it possibly can is from before the clock was set back.
    takeLease: prepare(`INSERT INTO miftah_lease (one, relay, until_ms, lease_ms)
      VALUES (1, ?, ${NOW_MS} + ?, ?)
      ON CONFLICT (one) DO UPDATE SET
        relay = excluded.relay, until_ms = excluded.until_ms, lease_ms = excluded.lease_ms
      WHERE relay = excluded.relay OR until_ms <= ${NOW_MS} OR until_ms > ${NOW_MS} + 2 * lease_ms`),
    pendingEvents: prepare(`SELECT ${EVENT_COLUMNS} FROM ${pending} ORDER BY o.position LIMIT ?`),
    leaseOf: prepare('SELECT 1 FROM miftah_lease WHERE relay = ?'),
    endLease: prepare('DELETE FROM miftah_lease WHERE relay = ?'),
    acknowledgeEvent: prepare(`DELETE FROM miftah_outbox
      WHERE position = (SELECT position FROM miftah_events WHERE id = ?)`),

    dueNotices: prepare(`SELECT due_at_ms, ${STORED_COLUMNS}
      FROM (SELECT key_id AS notice_of, due_at_ms FROM miftah_notices
        WHERE due_at_ms > ${EARLIEST_MS} AND due_at_ms <= ? ORDER BY due_at_ms LIMIT ?)
      CROSS JOIN miftah_keys ON id = notice_of CROSS JOIN miftah_usage ON key_id = id
      ORDER BY due_at_ms`),
    isNoticeDue: prepare(`SELECT 1 FROM miftah_notices WHERE key_id = ? AND due_at_ms = ?
      AND EXISTS (SELECT 1 FROM miftah_keys WHERE id = key_id AND workspace_id = ? AND version = ?)`),
    moveNotice: prepare('UPDATE miftah_notices SET due_at_ms = ? WHERE key_id = ?'),
    endNotice: prepare('DELETE FROM miftah_notices WHERE key_id = ?'),

    ...prepareErasure(prepare),
  }
  return { ...statements, ...oneByOne(statements) }
}

/** A page of the log along one of its indexes. */
function eventPage(index: 'of_workspace' | 'of_key', order: '' | 'DESC'): string {
  return `SELECT ${EVENT_COLUMNS} FROM miftah_events AS e INDEXED BY miftah_events_${index}
      WHERE ${index === 'of_key' ? 'e.key_id = ? AND ' : ''}e.workspace_id = ?
        AND e.position ${order === 'DESC' ? '<' : '>'} ?
      ORDER BY e.position ${order} LIMIT ?`
}

/** The statements of erasures and purges. */
function prepareErasure(prepare: (sql: string) => SqliteStatement) {
  const unlessUndelivered =
    'NOT EXISTS (SELECT 1 FROM miftah_outbox AS o WHERE o.position = e.position)'
  const { id, name } = ERASED_PERSON
  const given = 'WITH given (person_id) AS (VALUES (?))'
  const isGiven = (person: string) => `${person}_id = (SELECT person_id FROM given)`
  const pseudonym = (person: string) =>
    `${person}_id = iif(${isGiven(person)}, '${id}', ${person}_id),
      ${person}_name = iif(${isGiven(person)}, '${name}', ${person}_name)`
  const keysOf = (person: string) => `SELECT position FROM miftah_keys WHERE ${isGiven(person)}`
  return {
    eraseInKeys: prepare(`${given} UPDATE miftah_keys
      SET ${pseudonym('creator')}, ${pseudonym('paused_by')}, version = version + 1
      WHERE position IN (
        SELECT * FROM (${keysOf('creator')} UNION ${keysOf('paused_by')}) LIMIT ?)`),
    eraseInEvents: prepare(`${given} UPDATE miftah_events SET ${pseudonym('actor')}
      WHERE position IN (SELECT position FROM miftah_events WHERE ${isGiven('actor')} LIMIT ?)`),

    anyKeyOfPerson: prepare(`${given} ${keysOf('creator')} UNION ${keysOf('paused_by')} LIMIT 1`),
    closeKnownWorkspace: prepare(
      'UPDATE miftah_workspaces SET is_erased = 1 WHERE workspace_id = ?',
    ),
    closeUnknownWorkspace: prepare(`INSERT INTO miftah_workspaces
      (workspace_id, keys_without_end, is_erased) VALUES (?, 0, 1)`),
    // The oldest first, as they are deleted.
    revokeKeys: prepare(`UPDATE miftah_keys SET ${CHANGED},
        revoked_at_ms = min(?, coalesce(retires_at_ms, ${LATEST_MS}))
      WHERE position IN (SELECT position FROM miftah_keys
        WHERE workspace_id = ? AND revoked_at_ms IS NULL ORDER BY position LIMIT ?)`),
    acknowledgedEventsOf: prepare(`SELECT e.position, e.id, e.workspace_id FROM miftah_events AS e
      WHERE e.workspace_id = ? AND ${unlessUndelivered} ORDER BY e.position LIMIT ?`),
    deadKeys: prepare(`SELECT position, id, workspace_id FROM miftah_keys
      WHERE format IS NULL AND ${END_OF_KEY} < min(?, ${NOW_MS}) ORDER BY ${END_OF_KEY} LIMIT ?`),
    acknowledgedEvents: prepare(`SELECT e.position, e.id, e.workspace_id FROM miftah_events AS e
      WHERE e.at_ms > ${EARLIEST_MS} AND e.at_ms < min(?, ${NOW_MS}) AND ${unlessUndelivered} ORDER BY e.at_ms LIMIT ?`),
    deleteKey: prepare('DELETE FROM miftah_keys WHERE position = ?'),
    deleteUsage: prepare('DELETE FROM miftah_usage WHERE key_id = ?'),
    deleteEvent: prepare('DELETE FROM miftah_events WHERE position = ?'),
    deleteErasedEvent: prepare(`DELETE FROM miftah_events WHERE id = ?
      AND workspace_id IN (SELECT workspace_id FROM miftah_workspaces AS w
        WHERE w.workspace_id = miftah_events.workspace_id AND w.is_erased)`),
    noteOnePurged: prepare('INSERT INTO miftah_purged VALUES (?, ?, ?, ?)'),
  }
}

/** The prepared statements of one connection. */
export type Statements = ReturnType<typeof prepareStatements>
