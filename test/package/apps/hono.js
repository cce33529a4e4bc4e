import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { manageKeys, requireKey } from 'miftah/fetch'
import { contextOf, keys } from '../../programs/fresh-apps/keys.js'

const contacts = requireKey(
  keys,
  'contacts.read',
)((_request, { apiKey }) => Response.json({ workspace: apiKey.workspaceId }))
const manage = manageKeys(keys, {
  basePath: '/api/settings',
  context: (request) => contextOf(request.headers.get('cookie')),
})

const app = new Hono()
app.all('/api/settings/*', (c) => manage(c.req.raw))
app.get('/api/public/v1/contacts', (c) => contacts(c.req.raw))
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => console.log(port))
