import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { problem } from '../../../src/http/index.ts'
import { bytesOf, type CallBody, type Endpoint } from '../../http/lib/call.ts'
import type { NodeRequest } from '../../http/lib/node/header-lines.ts'
import { NODE } from '../../http/lib/node/side.ts'
import { discardRest, nodeCall, splitTarget, streamBody } from '../../http/lib/node/to-node.ts'
import { UsageError } from '../usage-error.ts'
import type { Metrics } from './metrics.ts'

/** What one listener serves, by path, and its limits. */
export interface ListenerPlan {
  readonly routes: Readonly<Record<string, Endpoint<NodeRequest>>>
  /** How many requests are worked on at once; others get 503. */
  readonly maxRequests: number
  /** How long a client may take to send a request. */
  readonly requestTimeoutMs: number
  /** Counts each answer by its path and status. */
  readonly metrics: Metrics
}

/** In bytes. The endpoints refuse larger forms. */
const MAX_BODY = 65_536

/** How long requests that are under way may take once the process has to end. */
const GRACE_MS = 10_000

const NOT_FOUND = problem(404, { code: 'not_found', detail: 'There is no such route.' })
const BUSY = problem(
  503,
  { code: 'too_many_requests', detail: 'Too many requests at once. Try again later.' },
  { 'retry-after': '1' },
)

/** A listener of `miftah serve`. */
export interface Listener {
  /** Starts to listen; answers the address. Throws a {@link UsageError} that names the option. */
  listen(option: string, address: { readonly host: string; readonly port: number }): Promise<string>
  /** Stops listening, and waits for the requests that are under way. */
  drain(): Promise<void>
}

/** A listener whose slots only requests that have arrived whole can take. */
export function createListener({
  routes,
  metrics,
  maxRequests,
  requestTimeoutMs,
}: ListenerPlan): Listener {
  const connections = new Set<Socket>()
  /** Requests that have arrived whole and are not answered yet. */
  const underWay = new Set<IncomingMessage>()
  const limits = {
    requestTimeout: requestTimeoutMs,
    headersTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(1_000, requestTimeoutMs),
    // Longer than nginx keeps an idle connection: it would send a request into a closed one.
    keepAliveTimeout: 75_000,
  }
  const server = createServer(limits, async (request, response) => {
    const { path } = splitTarget(request.url ?? '')
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined
    const answerOf = async () => {
      if (route === undefined) return NOT_FOUND
      const body = await bodyOf(request)
      if (underWay.size >= maxRequests) return BUSY
      underWay.add(request)
      return route({ ...nodeCall(request, body), basePath: '', pathname: path, request })
    }
    try {
      const answer = await answerOf()
      const labels = { path: route === undefined ? 'other' : path, status: answer.status }
      metrics.count('miftah_serve_requests_total', labels)
      // So that idle connections leave room for those of others.
      const isCrowded = connections.size > maxRequests * 2
      if (isCrowded || !server.listening) response.setHeader('connection', 'close')
      NODE.write(response, answer)
      discardRest(request)
    } catch {
      // The client has gone.
      response.destroy()
    } finally {
      underWay.delete(request)
    }
  })
  // Those beyond it are closed at once.
  server.maxConnections = maxRequests * 4
  server.on('connection', (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  return {
    async listen(option, at) {
      await new Promise<void>((resolve, reject) => {
        server.once('error', (error) => {
          reject(new UsageError(`Option "${option}": cannot listen there (${Object(error).code}).`))
        })
        server.listen(at, resolve)
      })
      const { address, family, port } = server.address() as AddressInfo
      return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
    },
    async drain() {
      const closed = new Promise((resolve) => server.close(resolve))
      const busy = new Set([...underWay].map(({ socket }) => socket))
      for (const socket of connections) if (!busy.has(socket)) socket.destroySoon()
      const late = setTimeout(() => server.closeAllConnections(), GRACE_MS)
      await closed
      clearTimeout(late)
    },
  }
}

/** The body, whole: what is still being sent takes no slot. A large one is refused by its length. */
async function bodyOf(request: NodeRequest): Promise<CallBody> {
  if (request.method !== 'POST') return null
  const stream = streamBody(request)
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY) return stream
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk)
    length += chunk.length
    if (length > MAX_BODY) break
  }
  return bytesOf(Buffer.concat(chunks))
}
