import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { manageKeys, requireKey } from 'miftah/hono'
import { contextOf, keys } from './keys.js'

const context = (c) => contextOf(c.req.header('cookie'))

const app = new Hono()
app.all('/api/settings/*', manageKeys(keys, { context }))
app.get('/api/public/v1/contacts', requireKey(keys, 'contacts.read'), (c) =>
  c.json({ workspace: c.var.apiKey.workspaceId }),
)
app.post('/api/public/v1/echo', requireKey(keys, null), async (c) => c.json(await c.req.json()))
app.get('/api/public/v1/broken', requireKey(keys, null), () => {
  throw new Error('the handler failed')
})
app.use('/api/parsed/*', async (c, next) => {
  await c.req.json().catch(() => {})
  await next()
})
app.all('/api/parsed/*', manageKeys(keys, { context }))
app.onError((_error, c) => c.json({ page: 'of the host' }, 500))
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => console.log(port))
