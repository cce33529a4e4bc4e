import { createApiKeys, plans } from 'miftah'
import { postgresStorage } from 'miftah/postgres'
import pg from 'pg'

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'] })
pool.on('error', (error) => console.error(error.message))

/** What the guide calls `./keys.ts`, in an instance that is gone long before a timer writes a use. */
export const keys = createApiKeys({
  storage: postgresStorage(pool, { migrate: false }),
  entitlements: () => plans.enterprise,
  usageFlushMs: 3_600_000,
})
