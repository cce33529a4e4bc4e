import type { PostgresPool } from '../../../adapters/storage/postgres.ts'

/**
 * Fills the default schema with `count` keys and their events, 100 keys to a workspace, every
 * fifth revoked and every fourth for tests, and lets the server gather its statistics.
 */
export async function fillKeys(pool: PostgresPool, count: number, from = 1): Promise<void> {
  const range = [from, from + count - 1].map(String)
  await pool.query(
    `INSERT INTO miftah.usage SELECT 'key_' || i, 0 FROM generate_series($1::int, $2::int) AS i`,
    range,
  )
  await pool.query(
    `INSERT INTO miftah.keys
    SELECT 'key_' || i, sha256(i::text::bytea), 'ws_' || i / 100, i % 100, 'CRM sync ' || i,
      NULL, CASE i % 4 WHEN 0 THEN 'test' ELSE 'live' END, '{contacts.read,contacts.write}',
      '{}', '"any"', 'svc_live_abc', 'u_1', 'Sami', 1767225600000 + i,
      CASE i % 5 WHEN 0 THEN 1767225600000 + i END, NULL, NULL,
      1, 1767225600000 + i, NULL, NULL, NULL, NULL, NULL, '{}'
    FROM generate_series($1::int, $2::int) AS i`,
    range,
  )
  await pool.query(
    `INSERT INTO miftah.events
    SELECT 'evt_' || i, 'ws_' || i / 100, i % 100, 'api_key.created', 1767225600000 + i, 'u_1',
      'Sami', 'key_' || i, '{"name":"CRM sync","environment":"live","scopes":[],"prefix":"svc_"}'
    FROM generate_series($1::int, $2::int) AS i`,
    range,
  )
  await pool.query(
    `INSERT INTO miftah.workspaces
    SELECT 'ws_' || i, 100 FROM generate_series($1::int / 100, $2::int / 100) AS i
    ON CONFLICT (workspace_id) DO UPDATE SET changes = 100`,
    range,
  )
  await pool.query('VACUUM ANALYZE miftah.keys')
  await pool.query('VACUUM ANALYZE miftah.usage')
  await pool.query('VACUUM ANALYZE miftah.events')
}
