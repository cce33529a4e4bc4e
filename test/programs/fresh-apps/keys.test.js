import express from 'express'
import { createApiKeys, plans } from 'miftah'
import { requireKey } from 'miftah/express'
import { memoryStorage } from 'miftah/memory'
import { sqliteStorage } from 'miftah/sqlite'

const person = { id: 'u_1', name: 'Noura' }
const fields = { name: 'CRM sync', environment: 'live', scopes: ['contacts.read'] }

test.each([
  ['memory', memoryStorage],
  ['SQLite', () => sqliteStorage('keys.sqlite')],
])('a guarded route of Express, with keys in %s', async (_, open) => {
  const keys = createApiKeys({ storage: open(), entitlements: () => plans.business })
  const { key, secret } = await keys.createKey({ workspaceId: 'ws_1', creator: person, ...fields })
  const app = express()
  app.get('/contacts', requireKey(keys, 'contacts.read'), (_request, response) => response.json([]))
  const server = app.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const status = async () => {
    const headers = { authorization: `Bearer ${secret}`, connection: 'close' }
    const url = `http://127.0.0.1:${server.address().port}/contacts`
    return (await fetch(url, { headers })).status
  }
  expect(await status()).toBe(200)
  await keys.revokeKey({ workspaceId: 'ws_1', id: key.id, actor: person })
  expect(await status()).toBe(401)
  await keys.close()
  expect(await status()).toBe(503)
  server.close()
})
