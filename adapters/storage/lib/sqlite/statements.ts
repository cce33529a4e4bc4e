import { KEY_COLUMNS, USAGE_COLUMNS } from '../key-columns.ts'
import type { SqliteDatabase } from './driver.ts'
import { ACTIVE_KEYS } from './schema/active-keys.ts'

const RECORD_COLUMNS = ['hash', ...KEY_COLUMNS.map(({ name }) => name)]
const STORED_COLUMNS = [...RECORD_COLUMNS, ...USAGE_COLUMNS.map(({ name }) => name)].join(', ')
const STORED_KEYS = 'miftah_keys CROSS JOIN miftah_usage ON key_id = id'

/**
 * SQLite's clock in milliseconds since the epoch, the same within one statement. It needs no
 * `unixepoch('subsec')`, which SQLite before 3.42 answers with NULL.
 */
const NOW_MS = "CAST(strftime('%s', 'now') || substr(strftime('%f', 'now'), 4) AS INTEGER)"

const EVENT_COLUMNS =
  'e.id, e.workspace_id, e.key_id, e.type, e.at_ms, e.actor_id, e.actor_name, e.data'

/** Earlier than every instant that can be stored. */
const EARLIEST_MS = Number.MIN_SAFE_INTEGER

/**
 * Every statement of the storage, prepared once for the life of a connection. Their parameters have
 * no numbers: better-sqlite3 takes `?1` for a name.
 */
export function prepareStatements(database: SqliteDatabase) {
  const prepare = (sql: string) => database.prepare(sql)
  // The partial indexes are used only where their condition is spelt out.
  const page = (status: string) =>
    prepare(`SELECT ${STORED_COLUMNS} FROM ${STORED_KEYS}
      WHERE workspace_id = ? AND position < ? AND (? IS NULL OR environment = ?) ${status}
      ORDER BY position DESC LIMIT ?`)
  // A CROSS JOIN keeps the order of the tables: the log is long, the outbox is not.
  const unsettled = `miftah_outbox AS o CROSS JOIN miftah_events AS e ON e.position = o.position
      WHERE e.workspace_id NOT IN (SELECT value FROM json_each(?))`
  return {
    begin: prepare('BEGIN'),
    beginImmediate: prepare('BEGIN IMMEDIATE'),
    commit: prepare('COMMIT'),
    rollback: prepare('ROLLBACK'),

    keyByHash: prepare(`SELECT ${RECORD_COLUMNS} FROM miftah_keys WHERE hash = ?`),
    keyById: prepare(`SELECT ${STORED_COLUMNS} FROM ${STORED_KEYS}
      WHERE id = ? AND workspace_id = ?`),
    keyPosition: prepare('SELECT position FROM miftah_keys WHERE id = ? AND workspace_id = ?'),
    activeKeys: prepare(ACTIVE_KEYS),
    page: page(''),
    activePage: page('AND revoked_at_ms IS NULL'),
    revokedPage: page('AND revoked_at_ms IS NOT NULL'),
    insertKey: prepare(`INSERT INTO miftah_keys (${RECORD_COLUMNS})
      VALUES (${RECORD_COLUMNS.map(() => '?')})`),
    revokeKey: prepare(`UPDATE miftah_keys SET revoked_at_ms = ?, replaced_by = ?
      WHERE id = ? AND workspace_id = ? AND revoked_at_ms IS NULL`),
    // The position of no event: these begin at 1.
    writeRow: prepare('INSERT INTO miftah_outbox (position) VALUES (0)'),
    removeRow: prepare('DELETE FROM miftah_outbox WHERE position = 0'),

    // A stored instant that is ahead of the clock does not count: the bounded one replaces it.
    addUses: prepare(`UPDATE miftah_usage
      SET uses = min(uses + ?, ${Number.MAX_SAFE_INTEGER}), last_used_at_ms = max(
        iif(last_used_at_ms <= ${NOW_MS}, last_used_at_ms, ${EARLIEST_MS}), min(?, ${NOW_MS}))
      WHERE key_id = ?`),
    advanceWriter: prepare(`INSERT INTO miftah_writers (writer, sequence, seen_at_s)
      VALUES (?, ?, unixepoch())
      ON CONFLICT (writer) DO UPDATE SET sequence = excluded.sequence, seen_at_s = excluded.seen_at_s
      WHERE excluded.sequence > sequence`),
    forgetWriters: prepare(`DELETE FROM miftah_writers WHERE writer IN (
      SELECT writer FROM miftah_writers WHERE seen_at_s < unixepoch() - ?
      ORDER BY seen_at_s LIMIT 100)`),

    insertEvent: prepare(`INSERT INTO miftah_events
      (id, workspace_id, key_id, type, at_ms, actor_id, actor_name, data)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)`),
    eventPosition: prepare('SELECT position FROM miftah_events WHERE id = ? AND workspace_id = ?'),
    eventPage: prepare(`SELECT ${EVENT_COLUMNS} FROM miftah_events AS e
      WHERE e.workspace_id = ? AND e.position > ? ORDER BY e.position LIMIT ?`),

    anyUnsettled: prepare(`SELECT 1 FROM ${unsettled} LIMIT 1`),
    // A lease that ends later than it possibly can is from before the clock was set back.
    takeLease: prepare(`INSERT INTO miftah_lease (one, relay, until_ms, lease_ms)
      VALUES (1, ?, ${NOW_MS} + ?, ?)
      ON CONFLICT (one) DO UPDATE SET
        relay = excluded.relay, until_ms = excluded.until_ms, lease_ms = excluded.lease_ms
      WHERE relay = excluded.relay OR until_ms <= ${NOW_MS} OR until_ms > ${NOW_MS} + 2 * lease_ms`),
    unsettledEvents: prepare(
      `SELECT ${EVENT_COLUMNS} FROM ${unsettled} ORDER BY o.position LIMIT ?`,
    ),
    leaseOf: prepare('SELECT 1 FROM miftah_lease WHERE relay = ?'),
    endLease: prepare('DELETE FROM miftah_lease WHERE relay = ?'),
    settleEvent: prepare(`DELETE FROM miftah_outbox
      WHERE position = (SELECT position FROM miftah_events WHERE id = ?)`),
  }
}

/** The prepared statements of one connection. */
export type Statements = ReturnType<typeof prepareStatements>
