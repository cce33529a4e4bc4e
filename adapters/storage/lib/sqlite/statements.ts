import type { KeyStatus } from '../../../../src/index.ts'
import { KEY_COLUMNS, STATE_COLUMNS, USAGE_COLUMNS } from '../key-columns.ts'
import { isRetiring, OF_STATUS } from '../key-conditions.ts'
import type { SqliteDatabase, SqliteStatement, SqliteValue } from './driver.ts'
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

/** What every change of a key sets. */
const CHANGED = 'version = version + 1, updated_at_ms = ?'
const AT_VERSION = 'id = ? AND workspace_id = ? AND version = ?'

/** Earlier than every instant that can be stored. */
const EARLIEST_MS = Number.MIN_SAFE_INTEGER

/**
 * Every statement of the storage, prepared once for the life of a connection. Their parameters have
 * no numbers: better-sqlite3 takes `?1` for a name.
 */
export function prepareStatements(database: SqliteDatabase) {
  const prepare = (sql: string) => database.prepare(sql)
  const page = (status: KeyStatus) => preparePage(database, OF_STATUS[status]('?'))
  const count = (condition: string) =>
    `(SELECT count(*) FROM miftah_keys WHERE workspace_id = ? AND ${condition})`
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
    retiringKeys: prepare(`SELECT ${count(isRetiring('?'))} AS retiring_keys`),
    pages: {
      any: preparePage(database, ['1']),
      active: page('active'),
      retiring: page('retiring'),
      paused: page('paused'),
      expired: page('expired'),
      revoked: page('revoked'),
    },
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

/** A page of keys, and how it is run. */
export interface PageStatement {
  readonly statement: SqliteStatement
  /** Its parameters, in their order. */
  readonly values: (query: PageValues) => readonly SqliteValue[]
}

/** What a page is asked with. */
export interface PageValues {
  readonly workspaceId: string
  /** The position that all its keys are before. */
  readonly before: number
  readonly environment: string | null
  readonly atMs: number
  readonly limit: number
}

/** Each condition gives its newest keys along its own index; the newest of all of them are read. */
function preparePage(database: SqliteDatabase, conditions: readonly string[]): PageStatement {
  const parts = conditions.map(
    (condition) => `SELECT * FROM (SELECT position FROM miftah_keys
        WHERE workspace_id = ? AND position < ? AND (? IS NULL OR environment = ?) AND ${condition}
        ORDER BY position DESC LIMIT ?)`,
  )
  const statement = database.prepare(`SELECT ${STORED_COLUMNS} FROM ${STORED_KEYS}
      WHERE position IN (${parts.join(' UNION ALL ')})
      ORDER BY position DESC LIMIT ?`)
  return {
    statement,
    values: ({ workspaceId, before, environment, atMs, limit }) => [
      ...conditions.flatMap((condition) => [
        ...[workspaceId, before, environment, environment],
        ...(condition.includes('?') ? [atMs] : []),
        limit,
      ]),
      limit,
    ],
  }
}
