import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiKeyError, createApiKeys, plans } from 'miftah'
import { manageKeys } from 'miftah/fetch'
import { memoryStorage } from 'miftah/memory'
import { postgresStorage } from 'miftah/postgres'
import { sqliteStorage } from 'miftah/sqlite'
import pg from 'pg'

const closing = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const folder = mkdtempSync(join(tmpdir(), 'miftah-jest-'))
const workspaceId = 'ws_1'
const person = { id: 'u_1', name: 'Noura' }
const fields = { name: 'CRM sync', environment: 'live', scopes: ['contacts.read'] }
const newKey = { workspaceId, creator: person, ...fields }

function sqlite() {
  const storage = sqliteStorage(join(folder, 'keys.sqlite'))
  closing.push(() => storage.close())
  return storage
}

function postgres() {
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })
  const storage = postgresStorage(pool)
  closing.push(() => pool.end())
  return storage
}

function openKeys(storage) {
  const keys = createApiKeys({ storage, entitlements: () => plans.business })
  closing.push(() => keys.close())
  return keys
}

test.each([
  ['SQLite', sqlite],
  ['PostgreSQL', postgres],
])('%s: migrate() on an empty database, then every step of a key', async (_, open) => {
  const storage = open()
  await storage.migrate()
  await storage.migrate()
  const keys = openKeys(storage)
  const { key, secret } = await keys.createKey(newKey)
  // These remember nothing of the workspace.
  const others = openKeys(storage)
  const bearer = `Bearer ${secret}`
  expect(await others.authenticate(bearer, 'contacts.read')).toMatchObject({ ok: true })
  expect(await others.authenticate(bearer, 'orders.read')).toMatchObject({
    reason: 'insufficient_scope',
  })
  const { key: next } = await others.rotateKey({ workspaceId, id: key.id, actor: person })
  await keys.revokeKey({ workspaceId, id: next.id, actor: person })
  expect(await keys.authenticate(bearer, null)).toMatchObject({ ok: false })
  expect(await keys.listKeys({ workspaceId })).toMatchObject({ activeKeys: 0 })
})

// Jest has `jest` and `require` where modules are CommonJS.
const inCommonJs = typeof require === 'function' ? test : test.skip
inCommonJs('another copy, after jest.resetModules()', async () => {
  const keys = openKeys(memoryStorage())
  jest.resetModules()
  const copy = require('miftah')
  expect(copy.ApiKeyError).not.toBe(ApiKeyError)
  expect(new copy.ApiKeyError('stale')).toBeInstanceOf(ApiKeyError)
  const context = () => ({ workspaceId, user: person })
  const routes = require('miftah/fetch').manageKeys(keys, { context })
  expect(require('miftah/fetch').manageKeys).not.toBe(manageKeys)
  const response = await routes(new Request('http://localhost/keys/key_of_nobody'))
  expect(response.status).toBe(404)
})
