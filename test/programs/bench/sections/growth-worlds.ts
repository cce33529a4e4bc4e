import { DatabaseSync } from '@photostructure/sqlite'
import type pg from 'pg'
import { BIG } from './growth-operations.ts'

const FIELDS = `workspace_id, name, environment, scopes, prefix, creator_id, creator_name, created_at_ms,
  version, updated_at_ms, metadata, resources, networks`
const EVENT = '{"name":"n","environment":"live","scopes":[],"prefix":"svc_live_abc"}'

/** Keys of one workspace and their delivered events, as so many creations leave them. */
export async function fillPostgres(pool: pg.Pool, count: number): Promise<void> {
  const range = `generate_series(1, ${count}) AS i`
  await pool.query(`INSERT INTO miftah.usage SELECT 'key_' || i, 0 FROM ${range}`)
  await pool.query(`INSERT INTO miftah.keys (id, hash, seq, ${FIELDS})
    SELECT 'key_' || i, sha256(i::text::bytea), i, '${BIG}', 'Key ' || i, 'live',
      '{contacts.read}', 'svc_live_abc', 'u', 'n', i, 1, i, '{}', '{}', '"any"' FROM ${range}`)
  await pool.query(`INSERT INTO miftah.events SELECT 'evt_' || i, '${BIG}', i, 'api_key.created', i,
    'u', 'n', 'key_' || i, '${EVENT}' FROM ${range}`)
  await pool.query(`INSERT INTO miftah.writers SELECT 'writer_' || i, 1, now() FROM ${range}`)
  await pool.query(`INSERT INTO miftah.workspaces (workspace_id, changes) VALUES ('${BIG}', ${count})
    ON CONFLICT (workspace_id) DO UPDATE SET changes = excluded.changes`)
  await pool.query('VACUUM')
}

/** The same in a file. */
export function fillSqlite(path: string, count: number): void {
  const database = new DatabaseSync(path)
  const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`
  database.exec(`PRAGMA synchronous = OFF; BEGIN;
    ${numbers} INSERT INTO miftah_keys (id, hash, ${FIELDS})
    SELECT 'key_' || i, randomblob(32), '${BIG}', 'Key ' || i, 'live', '["contacts.read"]',
      'svc_live_abc', 'u', 'n', i, 1, i, '{}', '{}', '"any"' FROM n;
    ${numbers} INSERT INTO miftah_events
      (id, workspace_id, key_id, type, at_ms, actor_id, actor_name, data)
    SELECT 'evt_' || i, '${BIG}', 'key_' || i, 'api_key.created', i, 'u', 'n', '${EVENT}' FROM n;
    DELETE FROM miftah_outbox;
    ${numbers} INSERT INTO miftah_writers SELECT 'writer_' || i, 1, unixepoch() FROM n;
    COMMIT; PRAGMA wal_checkpoint(TRUNCATE)`)
  database.close()
}

/** Gathers statistics, as a host or the server does sooner or later. */
export function analyseSqlite(path: string): void {
  const database = new DatabaseSync(path)
  database.exec('ANALYZE')
  database.close()
}
