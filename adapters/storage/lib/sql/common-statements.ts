import { KEY_COLUMNS, USAGE_COLUMNS } from '../key-columns.ts'
import { isRetiring } from '../key-conditions.ts'

/** The columns of a key's record. */
export const RECORD_COLUMNS = ['hash', ...KEY_COLUMNS.map(({ name }) => name)]

/** The same and those of its usage, from {@link STORED_KEYS}. */
export const STORED_COLUMNS = [...RECORD_COLUMNS, ...USAGE_COLUMNS.map(({ name }) => name)].join(
  ', ',
)

/** Keys with their usage. To SQLite, CROSS says to read the tables in this order; to MySQL it says nothing. */
export const STORED_KEYS = 'miftah_keys CROSS JOIN miftah_usage ON key_id = id'

/** What every change of a key sets, and the key that it changes. */
export const CHANGED = 'version = version + 1, updated_at_ms = ?'
export const AT_VERSION = 'id = ? AND workspace_id = ? AND version = ?'

/** The statements that every database takes as they are. */
export function commonStatements<Statement>(statement: (sql: string) => Statement) {
  return {
    keyByHash: statement(`SELECT ${RECORD_COLUMNS} FROM miftah_keys WHERE hash = ?`),
    keyById: statement(`SELECT ${STORED_COLUMNS} FROM ${STORED_KEYS}
      WHERE id = ? AND workspace_id = ?`),
    isKey: statement('SELECT 1 FROM miftah_keys WHERE id = ? AND workspace_id = ?'),
    keyPosition: statement(positionOf('key')),
    purgedKey: statement(purgedPosition('key')),
    retiringKeys: statement(`SELECT count(*) AS retiring_keys FROM miftah_keys
      WHERE workspace_id = ? AND ${isRetiring('?')}`),
    noteExpired: statement('UPDATE miftah_workspaces SET expired_to_ms = ? WHERE workspace_id = ?'),

    insertEvent: statement(`INSERT INTO miftah_events
      (id, workspace_id, key_id, type, at_ms, actor_id, actor_name, data)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)`),
    eventPosition: statement(positionOf('event')),

    storedHistory: statement(`SELECT first_hour,
      (SELECT max(day) FROM miftah_usage_days WHERE day <= ?) AS known_day
      FROM miftah_usage_retention WHERE one = 1`),
    keepHours: statement(
      'UPDATE miftah_usage_retention SET first_hour = ? WHERE one = 1 AND first_hour <> ?',
    ),

    anyEventOfPerson: statement('SELECT 1 FROM miftah_events WHERE actor_id = ? LIMIT 1'),
    isErased: statement('SELECT 1 FROM miftah_workspaces WHERE workspace_id = ? AND is_erased = 1'),
    anyLivingKeyOf: statement(
      'SELECT 1 FROM miftah_keys WHERE workspace_id = ? AND revoked_at_ms IS NULL LIMIT 1',
    ),
    deadKeysOf: statement(`SELECT position, id, workspace_id FROM miftah_keys
      WHERE workspace_id = ? AND revoked_at_ms IS NOT NULL ORDER BY position LIMIT ?`),
    forgetPurged: statement('DELETE FROM miftah_purged WHERE workspace_id = ?'),
  }
}

/** Where a row is, or was before it was purged, by its id and its workspace. */
function positionOf(kind: 'key' | 'event'): string {
  return `SELECT position FROM miftah_${kind}s WHERE id = ? AND workspace_id = ?
    UNION ALL ${purgedPosition(kind)}`
}

function purgedPosition(kind: 'key' | 'event'): string {
  return `SELECT position FROM miftah_purged WHERE kind = '${kind}' AND id = ? AND workspace_id = ?`
}
