import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { type ApiKeys, createApiKeys, plans } from 'miftah'
import { postgresStorage } from 'miftah/postgres'
import { MemoryFloor } from '../floors/memory-floor.ts'
import { postgresTable, SqlFloor, selectMany } from '../floors/sql-floor.ts'
import { apiKeys, SCOPE, SCOPES, storedUses, workspaceOf } from '../sections/keys.ts'
import { Database } from '../sections/postgres-world.ts'
import { bareFastifyApp, checkedFastifyApp, guardedFastifyApp } from './apps.ts'
import { serve } from './serve.ts'

// One app, for the section `http-postgres`: `postgres-server.ts <url> <file of secrets> <app>`.
const [url = '', file = '', name = ''] = process.argv.slice(2)
const secrets: readonly string[] = JSON.parse(readFileSync(file, 'utf8'))
const database = new Database(url)
const keys = apiKeys(postgresStorage(database.pool()))

const apps: Readonly<Record<string, () => Promise<Server>>> = {
  bare: bareFastifyApp,
  'by hand, in memory': () => checkedFastifyApp(inMemory()),
  'by hand, on PostgreSQL': () =>
    checkedFastifyApp(new SqlFloor(postgresTable(database.pool(), 'floor_many', selectMany))),
  miftah: () => guardedFastifyApp(keys),
  'miftah with the cache': async () => guardedFastifyApp(await cached()),
}
const start = apps[name]
if (start === undefined) throw new Error(`there is no app "${name}"`)
let flush = () => keys.flush()
await serve({
  start,
  secrets,
  uses: async () => {
    await flush()
    return storedUses(keys, secrets.length)
  },
})

function inMemory(): MemoryFloor {
  const floor = new MemoryFloor()
  for (const [n, secret] of secrets.entries()) floor.add(secret, workspaceOf(n), SCOPES)
  return floor
}

/** With every key in the cache. */
async function cached(): Promise<ApiKeys> {
  const all = createApiKeys({
    storage: postgresStorage(database.pool()),
    entitlements: () => plans.enterprise,
    cache: {},
  })
  flush = () => all.flush()
  while (all.stats().cache?.keys !== secrets.length) {
    for (const secret of secrets) await all.authenticateSecret(secret, SCOPE)
  }
  return all
}
