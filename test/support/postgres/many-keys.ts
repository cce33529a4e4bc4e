import type { PostgresPool } from '../../../adapters/storage/postgres.ts'

/**
 * Fills the default schema with `count` keys and their events, 100 keys to a workspace, every
 * fifth revoked and every fourth for tests, and lets the server gather its statistics.
 */
export async function fillKeys(pool: PostgresPool, count: number, from = 1): Promise<void> {
  const range = [from, from + count - 1].map(String)
  const numbers = 'FROM generate_series($1::int, $2::int) AS i'
  await pool.query(
    `INSERT INTO miftah.miftah_keys (id, hash, workspace_id, place, edition, name, environment, scopes,
      resources, networks, prefix, creator_id, creator_name, created_at_ms, revoked_at_ms, version,
      updated_at_ms, metadata, notice_at_ms)
    SELECT 'key_' || i, sha256(i::text::bytea), 'ws_' || i / 100, i % 100, 1, 'CRM sync ' || i,
      CASE i % 4 WHEN 0 THEN 'test' ELSE 'live' END, '{contacts.read,contacts.write}', '{}', '"any"',
      'svc_live_abc', 'u_' || i % 1000, 'Sami', 1767225600000 + i,
      CASE i % 5 WHEN 0 THEN 1767225600000 + i END, 1, 1767225600000 + i, '{}',
      CASE i % 50 WHEN 1 THEN 1767225600000 + i END ${numbers}`,
    range,
  )
  await pool.query(`INSERT INTO miftah.miftah_usage SELECT 'key_' || i, 1, 5 ${numbers}`, range)
  await pool.query(
    `INSERT INTO miftah.miftah_events (id, workspace_id, place, type, at_ms, actor_id, actor_name, key_id,
      data, is_pending)
    SELECT 'evt_' || i, 'ws_' || i / 100, i % 100, 'api_key.created', 1767225600000 + i, 'u_1',
      'Sami', 'key_' || i, '{"name":"CRM sync","environment":"live","scopes":[],"prefix":"svc_"}',
      i % 1000 = 0 ${numbers}`,
    range,
  )
  await pool.query(
    `INSERT INTO miftah.miftah_workspaces (id, revision, added)
    SELECT 'ws_' || i, 100, 100 FROM generate_series($1::int / 100, $2::int / 100) AS i
    ON CONFLICT (id) DO NOTHING`,
    range,
  )
  for (const table of ['keys', 'usage', 'events']) {
    await pool.query(`VACUUM ANALYZE miftah.miftah_${table}`)
  }
}
