import { apiKey } from '@better-auth/api-key'
import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { getMigrations } from 'better-auth/db/migration'

const PERMISSIONS = { contacts: ['read'] }

/**
 * Opens better-auth with its API-key plugin, rate limit, logs and telemetry off, on a pool of pg, or in
 * memory: on a Map as secondary storage with deferred updates, the fastest setting that was found.
 */
export async function open(pool) {
  const map = new Map()
  const tables = { user: [], session: [], account: [], verification: [], apikey: [] }
  const auth = betterAuth({
    secret: 'for-benchmarks-only-3f9c1e7ab04d5286',
    baseURL: 'http://127.0.0.1',
    database: pool ?? memoryAdapter(tables),
    logger: { disabled: true },
    telemetry: { enabled: false },
    advanced: { backgroundTasks: { handler: (task) => void task.catch(() => {}) } },
    emailAndPassword: { enabled: true },
    plugins: [apiKey({ rateLimit: { enabled: false }, ...(pool ? {} : onMap(map)) })],
  })
  if (pool) await (await getMigrations(auth.options)).runMigrations()
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

function onMap(map) {
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
