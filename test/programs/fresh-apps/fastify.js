import fastify from 'fastify'
import { manageKeys, requireKey } from 'miftah/fastify'
import { contextOf, keys } from './keys.js'

const app = fastify()
app.register(manageKeys(keys, { context: (request) => contextOf(request.headers.cookie) }), {
  prefix: '/api/settings',
})
app.get(
  '/api/public/v1/contacts',
  { onRequest: requireKey(keys, 'contacts.read') },
  async (request) => ({ workspace: request.apiKey.workspaceId }),
)
await app.listen({ port: 0, host: '127.0.0.1' })
console.log(app.server.address().port)
