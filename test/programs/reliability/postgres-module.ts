import pg from 'pg'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import { sharedPostgres } from '../../support/postgres/shared.ts'
import { openPool } from '../../support/postgres-database.ts'
import type { OpenStorage, Place } from './storage-module.ts'

/** The connections that hold locks, by target. */
const lockers = new Map<string, pg.Pool>()

/** A database of its own, on the server of this process or the one that the environment names. */
export async function createPlace(): Promise<Place> {
  const server = await sharedPostgres()
  const target = server.url(await server.createDatabase())
  const remove = async () => {
    await lockers.get(target)?.end()
    lockers.delete(target)
    await server.dispose()
  }
  return { target, remove }
}

const CONNECTIONS = 5

/** Calls without a limit: two cores with many processes on them are slow. */
export function openStorage(target: string): OpenStorage {
  const pool = openPool({ connectionString: target, max: CONNECTIONS })
  const crowd = (ms: number) =>
    Promise.all(
      Array.from({ length: CONNECTIONS }, () => pool.query(`SELECT pg_sleep(${ms / 1_000})`)),
    )
  return Object.assign(postgresStorage(pool), { close: () => pool.end(), crowd })
}

/** Locks the row of a workspace. */
export async function lock(target: string, workspaceId: string) {
  const pool = lockers.get(target) ?? openPool({ connectionString: target })
  lockers.set(target, pool)
  const client = await pool.connect()
  await client.query('BEGIN')
  await client.query('SELECT FROM miftah.miftah_workspaces WHERE id = $1 FOR UPDATE', [workspaceId])
  return async () => {
    await client.query('ROLLBACK')
    client.release()
  }
}

/** Makes all keys look as if they had been written two hours ago. */
export async function age(target: string): Promise<void> {
  const client = new pg.Client({ connectionString: target })
  await client.connect()
  await client.query(`BEGIN;
    ALTER TABLE miftah.miftah_keys DISABLE TRIGGER miftah_guard;
    UPDATE miftah.miftah_keys SET written_at_ms = written_at_ms - 7200000;
    ALTER TABLE miftah.miftah_keys ENABLE ALWAYS TRIGGER miftah_guard;
    COMMIT`)
  await client.end()
}

const UNSOUND = `
SELECT 'a key without its event', k.id FROM miftah.miftah_keys k WHERE k.replaces IS NULL
  AND NOT EXISTS (SELECT FROM miftah.miftah_events e
    WHERE e.key_id = k.id AND e.workspace_id = k.workspace_id AND e.place <= k.place)
UNION ALL
SELECT 'a revocation without its event', k.id FROM miftah.miftah_keys k
  WHERE k.revoked_at_ms IS NOT NULL AND k.retires_at_ms IS NULL
  AND 1 <> (SELECT count(*) FROM miftah.miftah_events e
    WHERE e.key_id = k.id AND e.type IN ('api_key.revoked', 'api_key.rotated'))
UNION ALL
SELECT 'a place after the last one', k.id FROM miftah.miftah_keys k
  JOIN miftah.miftah_workspaces w ON w.id = k.workspace_id WHERE k.place > w.revision
UNION ALL
SELECT 'an event that was delivered before an earlier one', e.id FROM miftah.miftah_events e
  JOIN miftah.miftah_events f ON f.workspace_id = e.workspace_id AND f.place < e.place
  WHERE f.is_pending AND NOT e.is_pending
UNION ALL
SELECT 'an order that is not that of the delivery', e.id FROM miftah.miftah_events e
  JOIN miftah.miftah_events f ON f.workspace_id = e.workspace_id AND f.place > e.place
  WHERE f.position < e.position`

/** Throws unless the indexes agree with the tables and every change with its event. */
export async function checkSound(target: string): Promise<void> {
  const client = new pg.Client({ connectionString: target })
  await client.connect()
  try {
    await client.query('CREATE EXTENSION IF NOT EXISTS amcheck')
    await client.query(`SELECT bt_index_check(i.indexrelid, true) FROM pg_index i
      WHERE i.indrelid::regclass::text LIKE 'miftah.miftah%'`)
    const { rows } = await client.query(`${UNSOUND} LIMIT 5`)
    if (rows.length > 0) throw new Error(`unsound: ${JSON.stringify(rows)}`)
  } finally {
    await client.end()
  }
}
