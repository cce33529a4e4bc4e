import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { manageKeys, requireKey } from 'miftah/hono'
import { address, closeOnSignal, contextOf, keys } from './api-keys.ts'

const app = new Hono()
app.all('/api/settings/*', manageKeys(keys, { context: (c) => contextOf(c.req.header('cookie')) }))
app.get('/api/public/v1/contacts', requireKey(keys, 'contacts.read'), (c) =>
  c.json({ workspace: c.var.apiKey.workspaceId }),
)

const server = serve({ fetch: app.fetch, port: address.port, hostname: address.host }, (info) => {
  console.log(`Listening on http://127.0.0.1:${info.port}`)
})
closeOnSignal(() => new Promise((resolve) => server.close(resolve)))
