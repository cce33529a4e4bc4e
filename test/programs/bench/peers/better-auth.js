import { apiKey } from '@better-auth/api-key'
import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { getMigrations } from 'better-auth/db/migration'

const PERMISSIONS = { contacts: ['read'] }

/**
 * Opens better-auth with its API-key plugin, rate limit, logs and telemetry off.
 * `store` is 'memory' (its adapter), 'map' (a Map as secondary storage, updates deferred: the
 * fastest setting found) or a pool of pg.
 */
export async function open(store) {
  const tables = { user: [], session: [], account: [], verification: [], apikey: [] }
  const map = new Map()
  const auth = betterAuth({
    secret: 'for-benchmarks-only-3f9c1e7ab04d5286',
    baseURL: 'http://127.0.0.1',
    database: typeof store === 'string' ? memoryAdapter(tables) : store,
    logger: { disabled: true },
    telemetry: { enabled: false },
    advanced: { backgroundTasks: { handler: (task) => void task.catch(() => {}) } },
    emailAndPassword: { enabled: true },
    plugins: [apiKey({ rateLimit: { enabled: false }, ...(store === 'map' ? mapped(map) : {}) })],
  })
  if (typeof store !== 'string') await (await getMigrations(auth.options)).runMigrations()
  return { ...(await operations(auth)), stored: () => stored(store, tables, map) }
}

function mapped(map) {
  return {
    storage: 'secondary-storage',
    deferUpdates: true,
    customStorage: {
      get: (key) => map.get(key) ?? null,
      set: (key, value) => void map.set(key, value),
      delete: (key) => void map.delete(key),
    },
  }
}

async function operations(auth) {
  const { internalAdapter } = await auth.$context
  const user = await internalAdapter.createUser({ email: 'bench@example.com', name: 'Bench' })
  return {
    async create() {
      const body = { userId: user.id, name: 'bench', permissions: PERMISSIONS }
      return (await auth.api.createApiKey({ body })).key
    },
    async verify(key) {
      const { valid } = await auth.api.verifyApiKey({ body: { key, permissions: PERMISSIONS } })
      return valid
    },
  }
}

/** How many keys the store holds, and how many of them were touched by a check. */
async function stored(store, tables, map) {
  if (typeof store !== 'string') {
    const { rows } = await store.query(
      'SELECT count(*)::int AS keys, count(*) FILTER (WHERE "updatedAt" > "createdAt")::int AS used FROM apikey',
    )
    return rows[0]
  }
  const keys =
    store === 'memory'
      ? tables.apikey
      : [...map]
          .filter(([name]) => name.startsWith('api-key:by-id'))
          .map(([, text]) => JSON.parse(text))
  const used = keys.filter(({ createdAt, updatedAt }) => new Date(updatedAt) > new Date(createdAt))
  return { keys: keys.length, used: used.length }
}
