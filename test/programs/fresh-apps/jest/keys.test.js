import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import { createApiKeys, plans } from 'miftah'
import { manageKeys, requireKey } from 'miftah/express'
import { memoryStorage } from 'miftah/memory'
import { sqliteStorage } from 'miftah/sqlite'

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
  const send = (method, path, body, headers = {}) =>
    fetch(`${origin}/settings/keys${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const created = await send('POST', '', fields)
  const { key, secret } = await created.json()
  const headers = { authorization: `Bearer ${secret}` }
  expect((await fetch(`${origin}/contacts`, { headers })).status).toBe(200)
  expect((await fetch(`${origin}/contacts`)).status).toBe(401)
  expect((await send('POST', '', { ...fields, name: '' })).status).toBe(422)
  expect((await send('PATCH', `/${key.id}`, { name: 'B' }, { 'if-match': '"7"' })).status).toBe(412)
  expect((await send('POST', '/key_of_nobody/revoke', {})).status).toBe(404)
  expect((await send('POST', `/${key.id}/revoke`, {})).status).toBe(200)
  expect((await send('POST', `/${key.id}/rotate`, {})).status).toBe(409)
  expect((await fetch(`${origin}/contacts`, { headers })).status).toBe(401)
  await keys.close()
  expect((await fetch(`${origin}/contacts`, { headers })).status).toBe(503)
})
