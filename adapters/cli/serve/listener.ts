import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type HttpAnswer, problem } from '../../../src/http/index.ts'
import type { Endpoint } from '../../http/lib/endpoints/endpoint.ts'
import { bytesOf } from '../../http/lib/management/body.ts'
import type { CallBody } from '../../http/lib/management/call.ts'
import { splitTarget, streamBody } from '../../http/lib/node/call.ts'
import { headerLines, type NodeRequest } from '../../http/lib/node/header-lines.ts'
import { writeAnswer } from '../../http/lib/node/response.ts'
import { discardRest } from '../../http/lib/node/rest.ts'
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

/** A server whose slots only requests that have arrived whole can take. */
export function createListener(plan: ListenerPlan): Server {
  const { routes, maxRequests, requestTimeoutMs } = plan
  let running = 0
  const answerTo = async (request: NodeRequest, path: string): Promise<HttpAnswer> => {
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined
    if (route === undefined) return NOT_FOUND
    const body = await bodyOf(request)
    if (running >= maxRequests) return BUSY
    running += 1
    try {
      const { method = '' } = request
      return await route({ method, lines: headerLines(request), body, request })
    } finally {
      running -= 1
    }
  }
  const limits = {
    requestTimeout: requestTimeoutMs,
    headersTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(1_000, requestTimeoutMs),
    // Longer than nginx keeps an idle connection: it would send a request into a closed one.
    keepAliveTimeout: 75_000,
  }
  const server = createServer(limits, async (request, response) => {
    const { path } = splitTarget(request.url ?? '')
    try {
      const answer = await answerTo(request, path)
      const labels = { path: answer === NOT_FOUND ? 'other' : path, status: answer.status }
      plan.metrics.count('miftah_serve_requests_total', labels)
      if (!server.listening) response.setHeader('connection', 'close')
      writeAnswer(response, answer)
      discardRest(request)
    } catch {
      // The client has gone.
      response.destroy()
    }
  })
  // Of slow clients. The requests of those beyond it wait in the kernel.
  server.maxConnections = maxRequests * 4
  return server
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

/** Starts to listen; answers the address. Throws a {@link UsageError} that names the option. */
export async function listen(
  server: Server,
  option: string,
  address: { readonly host: string; readonly port: number },
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      reject(new UsageError(`Option "${option}": cannot listen there (${Object(error).code}).`))
    })
    server.listen(address, resolve)
  })
  const { address: host, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`
}

/** Stops listening, and waits for the requests that are under way. */
export async function drain(servers: readonly Server[]): Promise<void> {
  const closing = servers.map((server) => new Promise((resolve) => server.close(resolve)))
  const idle = setInterval(() => {
    for (const server of servers) server.closeIdleConnections()
  }, 50)
  const late = setTimeout(() => {
    for (const server of servers) server.closeAllConnections()
  }, GRACE_MS)
  await Promise.all(closing)
  clearInterval(idle)
  clearTimeout(late)
}
