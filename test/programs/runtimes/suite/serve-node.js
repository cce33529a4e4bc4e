import { createServer } from 'node:http'
import { Readable } from 'node:stream'

/** A Web-standard handler as a server of Node. */
export function serveNode(handler) {
  return createServer(async (incoming, outgoing) => {
    const response = await handler(requestOf(incoming))
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    outgoing.end(Buffer.from(await response.arrayBuffer()))
  })
}

function requestOf(incoming) {
  const { method, headers } = incoming
  const url = new URL(incoming.url, `http://${headers.host}`)
  if (method === 'GET' || method === 'HEAD') return new Request(url, { method, headers })
  return new Request(url, { method, headers, body: Readable.toWeb(incoming), duplex: 'half' })
}
