import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { json } from 'node:stream/consumers'
import pg from 'pg'
import { createWebSocketStream, type WebSocket, WebSocketServer } from 'ws'

/** What stands in front of PostgreSQL at Neon, as a server in this process. */
export interface NeonProxy {
  /** Takes connections to PostgreSQL over WebSocket, at any path. */
  readonly host: string
  /** Takes one statement per request over HTTP. */
  readonly endpoint: string
  readonly close: () => Promise<void>
}

/** Opens a proxy on a free port of the loopback interface, in front of a PostgreSQL server. */
export async function openNeonProxy(hostname: string, port: number): Promise<NeonProxy> {
  const server = createServer((request, response) => void answer(request, response))
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket) => carry(socket, { host: hostname, port }))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    host,
    endpoint: `http://${host}/sql`,
    close: async () => {
      for (const socket of sockets.clients) socket.terminate()
      server.close().closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** Whichever side breaks off, the other one loses its connection. */
function carry(socket: WebSocket, to: { readonly host: string; readonly port: number }): void {
  const client = createWebSocketStream(socket)
  const target = connect(to).setNoDelay(true)
  client.on('error', () => undefined).on('close', () => target.destroy())
  target.on('error', () => undefined).on('close', () => socket.terminate())
  client.pipe(target).pipe(client)
}

interface Statement {
  readonly query: string
  readonly params: readonly string[]
}

/** Runs a statement on a connection of its own; the rows are arrays of what the server wrote. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const client = new pg.Client({
    connectionString: String(request.headers['neon-connection-string']),
    types: { getTypeParser: () => (text: string) => text },
  })
  // The database may be dropped before the connection has ended.
  client.on('error', () => undefined)
  try {
    const { query, params } = (await json(request)) as Statement
    await client.connect()
    const result = await client.query({ text: query, values: [...params], rowMode: 'array' })
    const { command, rowCount, fields, rows } = result
    response.end(JSON.stringify({ command, rowCount, fields, rows, rowAsArray: true }))
  } catch (error) {
    const { message, code } = Object(error) as { message: string; code?: string }
    response.writeHead(400).end(JSON.stringify({ message, code }))
  } finally {
    await client.end()
  }
}
