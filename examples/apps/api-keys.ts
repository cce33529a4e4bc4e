import { createApiKeys, plans } from 'miftah'
import { postgresStorage } from 'miftah/postgres'
import { sqliteStorage } from 'miftah/sqlite'
import pg from 'pg'

/** PostgreSQL where `DATABASE_URL` is set, otherwise a SQLite file. The tables make themselves. */
function openStorage() {
  const connectionString = process.env['DATABASE_URL']
  if (!connectionString) return sqliteStorage('keys.sqlite')
  const pool = new pg.Pool({ connectionString })
  pool.on('error', (error) => console.error('idle connection:', error.message))
  return postgresStorage(pool)
}

export const keys = createApiKeys({
  storage: openStorage(),
  entitlements: () => plans.business,
})

// Stands for the sessions that your application has.
const sessions = new Map([
  ['session=noura', { workspaceId: 'ws_1', user: { id: 'u_1', name: 'نورة' } }],
])

/** The user of a request, by the cookie of a session. */
export function contextOf(cookie: string | undefined) {
  return sessions.get(cookie ?? '') ?? null
}

/** Where the app listens. */
export const address = { port: Number(process.env['PORT'] ?? 3000), host: '127.0.0.1' }

/** Ends the app: first the requests, then the keys, so that no counted use is lost. */
export function closeOnSignal(closeServer: () => unknown): void {
  process.once('SIGTERM', async () => {
    await closeServer()
    await keys.close()
    process.exit(0)
  })
}
