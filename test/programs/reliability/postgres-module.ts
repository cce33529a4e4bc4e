import pg from 'pg'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import { openPool, sharedDatabase } from '../../support/postgres-database.ts'
import type { OpenStorage, Place } from './storage-module.ts'

/** A database of its own, on the server of this process or the one that the environment names. */
export async function createPlace(): Promise<Place> {
  const { url, close } = await sharedDatabase()
  return { target: url, remove: close }
}

/** Calls without a limit: two cores with many processes on them are slow. */
export function openStorage(target: string): OpenStorage {
  const pool = openPool({ connectionString: target, max: 5 })
  return Object.assign(postgresStorage(pool), { close: () => pool.end() })
}

const UNSOUND = `
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

/** Throws unless the indexes agree with the tables, and places with the order of the log. */
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
