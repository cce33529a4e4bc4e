const { join } = require('node:path')
const { mkdtempSync } = require('node:fs')
const { tmpdir } = require('node:os')
const express = require('express')
const { createApiKeys, plans } = require('miftah')
const { manageKeys, requireKey } = require('miftah/express')
const { memoryStorage } = require('miftah/memory')
const { sqliteStorage } = require('miftah/sqlite')

const closing = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const entitlements = () => plans.business
// A folder that does not exist, in the run that must fail.
const folder = process.env.MISCONFIGURED
  ? 'no-such-folder'
  : mkdtempSync(join(tmpdir(), 'miftah-jest-'))
const creator = { id: 'u_1', name: 'Noura' }
const fields = { name: 'CRM sync', environment: 'live', scopes: ['contacts.read'] }

test('a key of each storage', async () => {
  const sqlite = sqliteStorage(join(folder, 'keys.sqlite'))
  closing.push(() => sqlite.close())
  for (const storage of [memoryStorage(), sqlite]) {
    const keys = createApiKeys({ storage, entitlements })
    const { secret } = await keys.createKey({ workspaceId: 'ws_1', creator, ...fields })
    expect((await keys.authenticate(`Bearer ${secret}`, 'contacts.read')).ok).toBe(true)
    await keys.close()
  }
})

test('routes of Express', async () => {
  const storage = sqliteStorage(join(folder, 'routes.sqlite'))
  const keys = createApiKeys({ storage, entitlements })
  const app = express()
  const context = () => ({ workspaceId: 'ws_1', user: creator })
  app.use('/settings', manageKeys(keys, { context }))
  app.get('/contacts', requireKey(keys, 'contacts.read'), (_request, response) => response.json([]))
  const server = app.listen(0, '127.0.0.1')
  closing.push(
    () => storage.close(),
    () => keys.close(),
    () => new Promise((resolve) => server.close(resolve)),
    () => server.closeAllConnections(),
  )
  await new Promise((resolve) => server.once('listening', resolve))
  const origin = `http://127.0.0.1:${server.address().port}`
  const created = await fetch(`${origin}/settings/keys`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fields),
  })
  const { secret } = await created.json()
  const headers = { authorization: `Bearer ${secret}` }
  expect((await fetch(`${origin}/contacts`, { headers })).status).toBe(200)
  expect((await fetch(`${origin}/contacts`)).status).toBe(401)
})
