import { apiKey } from '@better-auth/api-key'
import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { toNodeHandler } from 'better-auth/node'

const ORIGIN = 'http://127.0.0.1'

/**
 * Opens better-auth with its API-key plugin for `npm run compare`: as documented, with sessions from
 * API keys and metadata on, keys of 30 days at most, and the rate limit out of the way. `store` is 'database' (its memory adapter),
 * 'secondary' (secondary storage alone, where every call takes a moment, as over a network) or
 * 'fallback' (the same before the database).
 */
export async function open(store) {
  const tables = { user: [], session: [], account: [], verification: [], apikey: [] }
  const map = new Map()
  const probe = { lookups: 0, beforeLookup: async () => {}, answer: (row) => row }
  const auth = betterAuth({
    secret: 'for-comparisons-only-3f9c1e7ab04d5286',
    baseURL: ORIGIN,
    database: store === 'database' ? watched(memoryAdapter(tables), probe) : memoryAdapter(tables),
    logger: { disabled: true },
    onAPIError: { onError: () => {} },
    telemetry: { enabled: false },
    rateLimit: { enabled: false },
    emailAndPassword: { enabled: true },
    plugins: [apiKey(pluginOptions(store, map, probe))],
  })
  const users = { first: await signUp(auth, 'first'), second: await signUp(auth, 'second') }
  const storedKey = (id) =>
    store !== 'secondary'
      ? tables.apikey.find((row) => row.id === id)
      : JSON.parse(map.get(`api-key:by-id:${id}`) ?? 'null')
  return { auth, probe, users, storedKey, listener: toNodeHandler(auth) }
}

function pluginOptions(store, map, probe) {
  const options = {
    enableSessionForAPIKeys: true,
    enableMetadata: true,
    keyExpiration: { maxExpiresIn: 30 },
    rateLimit: { enabled: true, maxRequests: 1e9, timeWindow: 1e12 },
  }
  if (store === 'database') return options
  const customStorage = storageOf(map, probe)
  const fallbackToDatabase = store === 'fallback'
  return { ...options, storage: 'secondary-storage', customStorage, fallbackToDatabase }
}

function storageOf(map, probe) {
  const moment = () => new Promise((resolve) => setImmediate(resolve))
  return {
    async get(key) {
      if (/^api-key:(?!by-)/.test(key)) {
        probe.lookups += 1
        await probe.beforeLookup()
        await moment()
        const row = await probe.answer(JSON.parse(map.get(key) ?? 'null'))
        return row === null ? null : JSON.stringify(row)
      }
      await moment()
      return map.get(key) ?? null
    },
    async set(key, value) {
      await moment()
      map.set(key, value)
    },
    async delete(key) {
      await moment()
      map.delete(key)
    },
  }
}

/** The adapter, with each look-up of a key by its hash counted and open to a test. */
function watched(open, probe) {
  return (options) => {
    const adapter = open(options)
    return {
      ...adapter,
      async findOne(query) {
        const byHash = query.model === 'apikey' && query.where?.[0]?.field === 'key'
        if (!byHash) return adapter.findOne(query)
        probe.lookups += 1
        await probe.beforeLookup()
        return probe.answer(await adapter.findOne(query))
      },
    }
  }
}

async function signUp(auth, name) {
  const response = await auth.api.signUpEmail({
    body: { email: `${name}@example.com`, name, password: 'correct horse battery' },
    asResponse: true,
  })
  const cookie = response.headers.getSetCookie().map((line) => line.split(';')[0])
  return { id: (await response.json()).user.id, cookie: cookie.join('; ') }
}
