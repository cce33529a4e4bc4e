import { createApiKeys, plans } from 'miftah'
import { postgresStorage } from 'miftah/postgres'
import { sqliteStorage } from 'miftah/sqlite'
import pg from 'pg'

function openStorage() {
  const url = process.env['DATABASE_URL'] ?? 'keys.sqlite'
  if (!url.startsWith('postgres')) return sqliteStorage(url)
  const pool = new pg.Pool({ connectionString: url, connectionTimeoutMillis: 2_000 })
  pool.on('error', (error) => console.error(error.message))
  return postgresStorage(pool)
}

function open() {
  const entitlements = () => plans.business
  // No timer writes the uses before the app ends, as in a function that is frozen: after() does.
  return createApiKeys({ storage: openStorage(), entitlements, usageFlushMs: 3_600_000 })
}

// next dev loads this module again after each change; the pool and the timers must not pile up.
const kept = globalThis as { keys?: ReturnType<typeof open> }
kept.keys ??= open()
export const keys = kept.keys
