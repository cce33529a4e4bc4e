import { createServer, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { HttpAnswer } from '../../../src/http/index.ts'
import { bytesOf, type CallBody, type Endpoint } from '../../http/lib/call.ts'
import type { NodeRequest } from '../../http/lib/node/header-lines.ts'
import { splitTarget, toNode } from '../../http/lib/node/to-node.ts'
import { UsageError } from '../errors.ts'
import type { ServeConfig } from './config.ts'

/** What a listener serves, by path. */
export type Routes = Readonly<Record<string, Endpoint<NodeRequest>>>

/** An answer in plain text, without one its status. */
export function plain(status: number, body = `${status}\n`, more = {}): HttpAnswer {
  const type = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }
  return { status, headers: { ...type, 'cache-control': 'no-store', ...more }, body }
}

/** Serves routes at `HOST:PORT`; `count` adds one to a series of the metrics. A bad address is a {@link UsageError}. */
export async function listenAt(
  [option, at]: readonly [option: string, at: string],
  routes: Routes,
  { maxRequests = 1_000, requestTimeoutMs = 10_000 }: ServeConfig['server'],
  count: (series: string) => unknown,
) {
  const connections = new Set<Socket>()
  /** Requests that have arrived whole and are not answered yet. */
  const underWay = new Set<IncomingMessage>()
  const respond = toNode<IncomingMessage>(async (call) => {
    const found = Object.entries(routes).find(([path]) => path === splitTarget(call.pathname).path)
    const [known, route] = found ?? ['other', async () => plain(404)]
    const body = await wholeBody(call.request)
    let answer = plain(503, undefined, { 'retry-after': '1' })
    if (underWay.size < maxRequests) {
      underWay.add(call.request)
      answer = await route({ ...call, body }).finally(() => underWay.delete(call.request))
    }
    count(`miftah_serve_requests_total{path="${known}",status="${answer.status}"}`)
    // So that idle connections leave room for those of others.
    const isLast = connections.size > maxRequests * 2 || !server.listening
    return isLast ? { ...answer, headers: { ...answer.headers, connection: 'close' } } : answer
  })
  const limits = {
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(1_000, requestTimeoutMs),
    // Longer than nginx keeps an idle connection: it would send a request into a closed one.
    keepAliveTimeout: 75_000,
  }
  const server = createServer(limits, (request, response) => {
    // Fails where the client has gone.
    respond(request, response).catch(() => response.destroy())
  })
  server.maxConnections = maxRequests * 4
  server.on('connection', (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  const [, host, port] = /^\[?(.+?)\]?:(\d+)$/.exec(at) ?? []
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen({ host, port: Number(port) }, resolve)
  }).catch(({ code }) => {
    throw new UsageError(`Option "${option}" must be HOST:PORT to listen at (${code}).`)
  })
  return {
    url: `http://${at.replace(/\d+$/, Object(server.address()).port)}`,
    /** Stops listening, and waits at most ten seconds for the requests that are under way. */
    async drain() {
      const closed = new Promise((resolve) => server.close(resolve))
      const busy = new Set([...underWay].map(({ socket }) => socket))
      for (const socket of connections) if (!busy.has(socket)) socket.destroySoon()
      setTimeout(() => server.closeAllConnections(), 10_000).unref()
      await closed
    },
  }
}

/** A body that is still being sent takes no slot. One that is too large is read in part: the endpoints refuse it. */
async function wholeBody(request: IncomingMessage): Promise<CallBody> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk)
    length += chunk.length
    if (length > 65_536) break
  }
  return bytesOf(Buffer.concat(chunks))
}

/** What `meterCache` calls the members of `stats().cache`; the others have their own names. */
const NAMES: Readonly<Record<string, string>> = {
  hits: 'lookups_total{miftah_cache_result="hit"}',
  misses: 'lookups_total{miftah_cache_result="miss"}',
  evictions: 'evictions_total',
  hasLease: 'lease',
}

/** Counters, and the state of the cache as far as it is known, as text for Prometheus (exposition format 0.0.4). */
export function prometheus(counted: Iterable<[string, number]>, cache: object | null): string {
  const known = Object.entries(cache ?? {}).filter(([, value]) => value !== null)
  const now = known.map(([name, value]) => [`miftah_cache_${NAMES[name] ?? name}`, Number(value)])
  const names = new Set<string>()
  const lines = [...counted, ...now].sort().map(([series, value]) => {
    const [name = ''] = `${series}`.split('{')
    const heading = `# TYPE ${name} ${name.endsWith('_total') ? 'counter' : 'gauge'}\n`
    return `${names.size < names.add(name).size ? heading : ''}${series} ${value}\n`
  })
  return lines.join('')
}
