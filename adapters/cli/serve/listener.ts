import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type HttpAnswer, problem } from '../../../src/http/index.ts'
import { bytesOf, type Call, type CallBody, type Endpoint } from '../../http/lib/call.ts'
import type { NodeRequest } from '../../http/lib/node/header-lines.ts'
import { splitTarget, toNode } from '../../http/lib/node/to-node.ts'
import { UsageError } from '../errors.ts'
import type { limitsOf } from './config.ts'

/** What a listener serves, by path. */
export type Routes = Readonly<Record<string, Endpoint<NodeRequest>>>

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

/** A listener of `miftah serve`. `onAnswer` receives each answer and its path, where it is known. */
export function listenerOf(
  routes: Routes,
  { maxRequests, requestTimeoutMs }: ReturnType<typeof limitsOf>,
  onAnswer: (answer: HttpAnswer, path: string) => void,
) {
  const connections = new Set<Socket>()
  /** Requests that have arrived whole and are not answered yet. */
  const underWay = new Set<IncomingMessage>()

  const answerOf = async (call: Call<IncomingMessage>, path: string) => {
    const route = routes[path]
    if (route === undefined) return NOT_FOUND
    const body = await wholeBody(call.request)
    if (underWay.size >= maxRequests) return BUSY
    underWay.add(call.request)
    return route({ ...call, body }).finally(() => underWay.delete(call.request))
  }
  const respond = toNode<IncomingMessage>(async (call) => {
    const { path } = splitTarget(call.request.url ?? '')
    const known = Object.hasOwn(routes, path) ? path : 'other'
    const answer = await answerOf(call, known)
    onAnswer(answer, known)
    // So that idle connections leave room for those of others.
    const isLast = connections.size > maxRequests * 2 || !server.listening
    return isLast ? { ...answer, headers: { ...answer.headers, connection: 'close' } } : answer
  })
  const limits = {
    requestTimeout: requestTimeoutMs,
    headersTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(1_000, requestTimeoutMs),
    // Longer than nginx keeps an idle connection: it would send a request into a closed one.
    keepAliveTimeout: 75_000,
  }
  const server = createServer(limits, (request, response) => {
    // Fails where the client has gone.
    respond(request, response).catch(() => response.destroy())
  })
  // Those beyond it are closed at once.
  server.maxConnections = maxRequests * 4
  server.on('connection', (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  return {
    /** Starts to listen; answers the address. Throws a {@link UsageError} that names the option. */
    async listen(option: string, at: { readonly host: string; readonly port: number }) {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject).listen(at, resolve)
      }).catch(({ code }) => {
        throw new UsageError(`Option "${option}": cannot listen there (${code}).`)
      })
      const { address, family, port } = server.address() as AddressInfo
      return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
    },
    /** Stops listening, and waits for the requests that are under way. */
    async drain() {
      const closed = new Promise((resolve) => server.close(resolve))
      const busy = new Set([...underWay].map(({ socket }) => socket))
      for (const socket of connections) if (!busy.has(socket)) socket.destroySoon()
      setTimeout(() => server.closeAllConnections(), GRACE_MS).unref()
      await closed
    },
  }
}

/** What is still being sent takes no slot. Of a large body, which is refused, a part is enough. */
async function wholeBody(request: IncomingMessage): Promise<CallBody> {
  if (request.method !== 'POST') return null
  const chunks: Uint8Array[] = []
  let length = 0
  const isLarge = Number(request.headers['content-length'] ?? 0) > MAX_BODY
  for await (const chunk of isLarge ? [] : request.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk)
    length += chunk.length
    if (length > MAX_BODY) break
  }
  return bytesOf(Buffer.concat(chunks))
}
