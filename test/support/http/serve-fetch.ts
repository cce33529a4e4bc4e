import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'

type FetchHandler = (request: Request) => Promise<Response>

/** Puts a Web-standard handler on a socket, as the servers of its runtimes do. */
export function serveFetch(handler: FetchHandler): Server {
  return createServer((incoming, outgoing) => {
    answer(handler, incoming, outgoing).catch(() => {
      outgoing.statusCode = 500
      outgoing.end('the handler has thrown')
    })
  })
}

async function answer(handler: FetchHandler, incoming: IncomingMessage, outgoing: ServerResponse) {
  const response = await handler(toRequest(incoming))
  outgoing.statusCode = response.status
  for (const [name, value] of response.headers) outgoing.appendHeader(name, value)
  outgoing.end(response.body === null ? undefined : Buffer.from(await response.arrayBuffer()))
}

function toRequest(incoming: IncomingMessage): Request {
  const { method = 'GET', rawHeaders } = incoming
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
  }
  const url = new URL(incoming.url ?? '/', `http://${incoming.headers.host ?? '127.0.0.1'}`)
  if (method === 'GET' || method === 'HEAD') return new Request(url, { method, headers })
  const body = Readable.toWeb(incoming) as ReadableStream
  return new Request(url, { method, headers, body, duplex: 'half' } as RequestInit)
}
