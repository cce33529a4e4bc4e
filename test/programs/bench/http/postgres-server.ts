import { createApiKeys, plans } from 'miftah'
import { postgresStorage } from 'miftah/postgres'
import { MemoryFloor } from '../floors/memory-floor.ts'
import { SCOPE, SCOPES, storedUses, workspaceOf } from '../sections/keys.ts'
import { Database, fillDatabase } from '../sections/postgres-world.ts'
import { guardedFastifyApps } from './apps.ts'
import { serve } from './serve.ts'

// Fastify on PostgreSQL, for the section `http-postgres`: `postgres-server.ts <url> <number of keys>`.
const [url = '', number = ''] = process.argv.slice(2)
const size = Number(number)

const database = new Database(url)
const { keys, headers, many } = await fillDatabase(database, { size, real: size })
const cached = createApiKeys({
  storage: postgresStorage(database.pool()),
  entitlements: () => plans.enterprise,
  cache: {},
})
const secrets = headers.all().map((header) => header.slice('Bearer '.length))
const inMemory = new MemoryFloor()
for (const [n, secret] of secrets.entries()) inMemory.add(secret, workspaceOf(n), SCOPES)
// Until every key is in the cache.
while (cached.stats().cache?.keys !== size) {
  for (let n = 0; n < size; n += 1) await cached.authenticate(headers.get(n), SCOPE)
}
const stored = await storedUses(cached, size)
await serve({
  apps: guardedFastifyApps({ keys, cached, inMemory, onPostgres: many }),
  secrets,
  uses: async () => {
    await cached.flush()
    return (await storedUses(keys, size)) - stored
  },
})
