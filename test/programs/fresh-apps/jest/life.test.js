import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiKeyError, createApiKeys, OutageError, plans } from 'miftah'
import { requireKey } from 'miftah/fetch'
import { manageKeys } from 'miftah/management'
import { memoryStorage } from 'miftah/memory'
import { postgresStorage } from 'miftah/postgres'
import { StorageError, sqliteStorage } from 'miftah/sqlite'
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

function sqlite(name) {
  const storage = sqliteStorage(join(folder, name))
  closing.push(() => storage.close())
  return storage
}

function postgres() {
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })
  const storage = postgresStorage(pool)
  closing.push(() => pool.end())
  return storage
}

function openKeys(storage, options = {}) {
  const keys = createApiKeys({ storage, entitlements: () => plans.business, ...options })
  closing.push(() => keys.close())
  return keys
}

test.each([
  ['SQLite', () => sqlite('empty.sqlite')],
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

test('refusals are recognised', async () => {
  const keys = openKeys(memoryStorage(), {
    entitlements: () => ({ publicApi: true, activeKeyLimit: 1 }),
  })
  const refusal = (work) =>
    work.then(
      () => null,
      (error) => error,
    )
  const invalid = await refusal(keys.createKey({ ...newKey, name: '', scopes: ['nothing'] }))
  expect(invalid).toBeInstanceOf(ApiKeyError)
  expect(invalid).toMatchObject({ code: 'invalid_input', issues: [{}, {}] })
  await keys.createKey(newKey)
  const full = await refusal(keys.createKey(newKey))
  expect(full).toMatchObject({ code: 'active_key_limit_reached', activeKeys: 1 })
})

test('keys are imported, and the rows that are invalid are named', async () => {
  const formats = [{ id: 'old', test: (text) => text.startsWith('old_') }]
  const keys = openKeys(sqlite('import.sqlite'), { formats })
  const row = { ...newKey, format: 'old', digest: 'old_1', prefix: 'old_' }
  const rows = [row, { ...row, digest: 'old_2', name: '' }]
  const outcomes = await keys.importKeys(rows, { actor: person })
  expect(outcomes).toMatchObject([{ outcome: 'imported' }, { outcome: 'invalid' }])
  expect(await keys.authenticate('Bearer old_1', 'contacts.read')).toMatchObject({ ok: true })
})

test('a second process creates a key and revokes it', async () => {
  const file = join(folder, 'shared.sqlite')
  const words = process.env.NODE_WORDS ? [process.env.NODE_WORDS] : []
  const { NODE_OPTIONS: _, ...env } = process.env
  const other = (...more) =>
    JSON.parse(
      execFileSync(process.execPath, [...words, 'other-process.js', file, ...more], { env }),
    )
  const { key, secret } = other()
  const keys = openKeys(sqlite('shared.sqlite'))
  const guard = requireKey(keys, 'contacts.read')(() => Response.json([]))
  const headers = { authorization: `Bearer ${secret}` }
  const status = async () => (await guard(new Request('http://localhost/', { headers }))).status
  expect(await status()).toBe(200)
  other(key.id)
  expect(await status()).toBe(401)
})

test('an outage is reported, is 503, and passes', async () => {
  const events = []
  const storage = memoryStorage()
  const { findByHash } = storage
  const keys = openKeys(storage, { onEvent: ({ type }) => events.push(type) })
  const { secret } = await keys.createKey(newKey)
  const guard = requireKey(keys, null)(() => Response.json([]))
  const headers = { authorization: `Bearer ${secret}` }
  const status = async () => (await guard(new Request('http://localhost/', { headers }))).status
  storage.findByHash = () => Promise.reject(new Error('connection refused'))
  expect(await status()).toBe(503)
  expect(await keys.authenticateSecret(secret, null).catch((error) => error)).toBeInstanceOf(
    OutageError,
  )
  storage.findByHash = findByHash
  expect(await status()).toBe(200)
  expect(events).toContain('outage')
})

test('a closed storage says so', async () => {
  const storage = sqliteStorage(join(folder, 'closed.sqlite'))
  await storage.close()
  const error = await storage.migrate().catch((reason) => reason)
  expect(error).toBeInstanceOf(StorageError)
  expect(error.code).toBe('closed')
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
  const routes = require('miftah/management').manageKeys(keys, { context })
  expect(require('miftah/management').manageKeys).not.toBe(manageKeys)
  const response = await routes(new Request('http://localhost/keys/key_of_nobody'))
  expect(response.status).toBe(404)
})
