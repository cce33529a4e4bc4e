import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { manageKeys, requireKey } from 'miftah/fetch'
import { contextOf, keys } from './keys.js'

/*
 * Handlers as the app router of Next.js has them: an export by the method, called with the request
 * and the params of the route. Next itself is not installed; this small server stands for it.
 */

const manage = manageKeys(keys, {
  basePath: '/api/settings',
  context: (request) => contextOf(request.headers.get('cookie')),
})
const contacts = requireKey(
  keys,
  'contacts.read',
)(async (_request, { apiKey }, { params }) => {
  const { version } = await params
  return Response.json({ workspace: apiKey.workspaceId }, { headers: { 'x-version': version } })
})

const routes = [
  [/^\/api\/settings\/.+$/, { GET: manage, POST: manage }],
  [/^\/api\/public\/(?<version>v\d+)\/contacts$/, { GET: contacts }],
]

const server = createServer(async (incoming, outgoing) => {
  const { pathname } = new URL(incoming.url, 'http://127.0.0.1')
  const [pattern, methods] = routes.find(([pattern]) => pattern.test(pathname))
  const params = Promise.resolve({ ...pattern.exec(pathname).groups })
  const response = await methods[incoming.method](requestOf(incoming), { params })
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  outgoing.end(Buffer.from(await response.arrayBuffer()))
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))

function requestOf(incoming) {
  const { method, headers } = incoming
  const url = new URL(incoming.url, `http://${headers.host}`)
  const body = method === 'GET' ? {} : { body: Readable.toWeb(incoming), duplex: 'half' }
  return new Request(url, { method, headers, ...body })
}
