import type { SqliteDatabase } from './driver.ts'

const KEY_COLUMNS = `hash, id, workspace_id, name, environment, scopes, prefix, creator_id,
  creator_name, created_at_ms, last_used_at_ms, uses, revoked_at_ms, replaces, replaced_by`

const EVENT_COLUMNS =
  'e.id, e.workspace_id, e.key_id, e.type, e.at_ms, e.actor_id, e.actor_name, e.data'

/**
 * Every statement of the storage, prepared once for the life of a connection. Their parameters have
 * no numbers: better-sqlite3 takes `?1` for a name.
 */
export function prepareStatements(database: SqliteDatabase) {
  const prepare = (sql: string) => database.prepare(sql)
  // The partial indexes are used only where their condition is spelt out.
  const page = (status: string) =>
    prepare(`SELECT ${KEY_COLUMNS} FROM miftah_keys
      WHERE workspace_id = ? AND position < ? AND (? IS NULL OR environment = ?) ${status}
      ORDER BY position DESC LIMIT ?`)
  return {
    begin: prepare('BEGIN'),
    beginImmediate: prepare('BEGIN IMMEDIATE'),
    commit: prepare('COMMIT'),
    rollback: prepare('ROLLBACK'),

    keyByHash: prepare(`SELECT ${KEY_COLUMNS} FROM miftah_keys WHERE hash = ?`),
    keyById: prepare(`SELECT ${KEY_COLUMNS} FROM miftah_keys WHERE id = ? AND workspace_id = ?`),
    keyPosition: prepare('SELECT position FROM miftah_keys WHERE id = ? AND workspace_id = ?'),
    activeKeys: prepare(`SELECT count(*) AS active_keys FROM miftah_keys
      WHERE workspace_id = ? AND revoked_at_ms IS NULL`),
    page: page(''),
    activePage: page('AND revoked_at_ms IS NULL'),
    revokedPage: page('AND revoked_at_ms IS NOT NULL'),
    insertKey: prepare(`INSERT INTO miftah_keys (${KEY_COLUMNS})
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`),
    revokeKey: prepare(`UPDATE miftah_keys SET revoked_at_ms = ?, replaced_by = ?
      WHERE id = ? AND workspace_id = ? AND revoked_at_ms IS NULL`),

    addUses: prepare(`UPDATE miftah_keys
      SET uses = uses + ?, last_used_at_ms = max(coalesce(last_used_at_ms, ?), ?)
      WHERE id = ?`),
    advanceWriter: prepare(`INSERT INTO miftah_writers (writer, sequence, seen_at_s)
      VALUES (?, ?, unixepoch())
      ON CONFLICT (writer) DO UPDATE SET sequence = excluded.sequence, seen_at_s = excluded.seen_at_s
      WHERE excluded.sequence > sequence`),
    forgetWriters: prepare('DELETE FROM miftah_writers WHERE seen_at_s < unixepoch() - ?'),

    insertEvent: prepare(`INSERT INTO miftah_events
      (id, workspace_id, key_id, type, at_ms, actor_id, actor_name, data)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)`),
    eventPosition: prepare('SELECT position FROM miftah_events WHERE id = ? AND workspace_id = ?'),
    eventPage: prepare(`SELECT ${EVENT_COLUMNS} FROM miftah_events AS e
      WHERE e.workspace_id = ? AND e.position > ? ORDER BY e.position LIMIT ?`),

    anyUnsettled: prepare('SELECT 1 FROM miftah_outbox LIMIT 1'),
    takeLease: prepare(`INSERT INTO miftah_lease (one, relay, until_ms) VALUES (1, ?, ?)
      ON CONFLICT (one) DO UPDATE SET relay = excluded.relay, until_ms = excluded.until_ms
      WHERE relay = excluded.relay OR until_ms <= ?`),
    unsettledEvents: prepare(`SELECT ${EVENT_COLUMNS} FROM miftah_outbox AS o
      JOIN miftah_events AS e ON e.position = o.position ORDER BY o.position LIMIT ?`),
    leaseOf: prepare('SELECT 1 FROM miftah_lease WHERE relay = ?'),
    settleEvent: prepare(`DELETE FROM miftah_outbox
      WHERE position = (SELECT position FROM miftah_events WHERE id = ?)`),
  }
}

/** The prepared statements of one connection. */
export type Statements = ReturnType<typeof prepareStatements>
