import fastify from 'fastify'
import { manageKeys, requireKey } from 'miftah/fastify'
import { address, closeOnSignal, contextOf, keys } from './api-keys.ts'

const app = fastify()
app.register(manageKeys(keys, { context: (request) => contextOf(request.headers.cookie) }), {
  prefix: '/api/settings',
})
app.get(
  '/api/public/v1/contacts',
  { onRequest: requireKey(keys, 'contacts.read') },
  async (request) => ({ workspace: request.apiKey?.workspaceId }),
)

console.log(`Listening on ${await app.listen(address)}`)
closeOnSignal(() => app.close())
