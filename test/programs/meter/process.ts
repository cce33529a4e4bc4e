import pg from 'pg'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import { sqliteStorage } from '../../../adapters/storage/sqlite.ts'
import { meteredMiftah } from '../../support/meter/metered-miftah.ts'
import { guardedBy, type Metered, meteredServer } from '../../support/meter/metered-server.ts'
import { naiveCache } from '../../support/meter/naive-cache.ts'

/* One process of a measured system: its kind, and the place of its data. Ends with its parent. */

function poolOf(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 8 })
  pool.on('error', () => {})
  return pool
}

async function betterAuth(store: 'database' | 'fallback' | 'secondary'): Promise<Metered> {
  const { openBetterAuth } = await import('../compare/better-auth.ts')
  const { issue, revoke, check } = await openBetterAuth(store)
  return {
    create: issue,
    revoke,
    guarded: guardedBy(async (secret) => (await check(secret)) === 'accepted'),
  }
}

/** How each system is opened. */
const KINDS = {
  memory: async () => meteredMiftah({ storage: memoryStorage() }),
  sqlite: async (place) => meteredMiftah({ storage: sqliteStorage(place) }),
  postgres: async (place) => meteredMiftah({ storage: postgresStorage(poolOf(place)) }),
  cache: async (place) => meteredMiftah({ storage: postgresStorage(poolOf(place)), cache: {} }),
  'better-auth-database': () => betterAuth('database'),
  'better-auth-fallback': () => betterAuth('fallback'),
  'better-auth-secondary': () => betterAuth('secondary'),
  naive: async () => naiveCache(60_000),
} as const satisfies Record<string, (place: string) => Promise<Metered>>

/** What a process can be. */
export type Kind = keyof typeof KINDS

const [kind, place = ''] = process.argv.slice(2)
const { port } = await meteredServer(await KINDS[kind as Kind](place))
process.on('disconnect', () => process.exit(0))
process.send?.(port)
