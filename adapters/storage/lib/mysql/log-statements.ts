import { listOf } from '../sql/in-lists.ts'
import type { LogStatements } from '../sql/log.ts'
import { Query, statement } from './query.ts'

const HEAD = 'SELECT head, is_used FROM miftah_change_clock WHERE one = 1'

/** The statements of the log of changes. */
export const LOG_STATEMENTS: LogStatements = {
  head: statement(HEAD),
  sharedHead: statement(`${HEAD} LOCK IN SHARE MODE`),
  advance: statement('UPDATE miftah_change_clock SET head = head + ? WHERE one = 1'),
  addEntry: statement(
    'INSERT INTO miftah_changes (sequence, kind, hash, workspace_id) VALUES (?, ?, ?, ?)',
  ),
  forgetEntries: statement('DELETE FROM miftah_changes WHERE sequence <= ?'),
  hashesOf: (ids) =>
    new Query(`SELECT hash FROM miftah_keys WHERE id IN ${listOf(ids)}`, ids, 'all'),

  use: statement('UPDATE miftah_change_clock SET is_used = 1 WHERE one = 1'),
  register: statement(`INSERT INTO miftah_nodes (node, lease_ms) VALUES (?, ?)
    ON DUPLICATE KEY UPDATE node = VALUES(node)`),
  // From left to right: what a column is set to is read in those after it.
  renew: statement(`UPDATE miftah_nodes
    SET acked = IF(? BETWEEN since AND renewal, GREATEST(acked, ?), acked),
      since = IF(? > renewal, ?, since),
      renewal = GREATEST(renewal, ?)
    WHERE node = ?`),
  since: statement('SELECT since FROM miftah_nodes WHERE node = ?'),
  entries: statement(`SELECT sequence, kind, LOWER(HEX(hash)) AS hash, workspace_id AS workspaceId
    FROM miftah_changes WHERE sequence > ? AND sequence <= ? ORDER BY sequence`),
  lagging: statement('SELECT node, lease_ms AS leaseMs, renewal FROM miftah_nodes WHERE acked < ?'),
  count: statement(`SELECT COUNT(node) AS nodes,
      COALESCE(GREATEST(0, MAX(head) - MIN(acked)), 0) AS lag
    FROM miftah_change_clock LEFT JOIN miftah_nodes ON TRUE WHERE one = 1`),
  // The rows of an hour are together; a key may have been used in the hour before too.
  recent: statement(`SELECT LOWER(HEX(k.hash)) AS hash FROM (
      SELECT key_position, hour FROM miftah_usage_hours WHERE outcome = 0
      ORDER BY hour DESC, key_position DESC LIMIT ?) AS r
    JOIN miftah_keys AS k ON k.position = r.key_position WHERE k.revoked_at_ms IS NULL
    GROUP BY k.hash ORDER BY MAX(r.hour) DESC LIMIT ?`),
  evict: statement('DELETE FROM miftah_nodes WHERE node = ? AND renewal = ? AND acked < ?'),
  leave: statement('DELETE FROM miftah_nodes WHERE node = ?'),
}
