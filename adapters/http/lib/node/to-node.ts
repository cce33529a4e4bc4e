import type { Readable } from 'node:stream'
import type { ApiKeys } from '../../../../src/index.ts'
import { ownOptions, propertyOf } from '../../../../src/lib/own-data.ts'
import { bytesOf, type Call, type CallBody, type Endpoint, type Place } from '../call.ts'
import type { ManageKeysOptions } from '../management/call.ts'
import { createManagement } from '../management/create-management.ts'
import { basePathOf } from '../management/routes.ts'
import { headerLines, type NodeRequest } from './header-lines.ts'
import { NODE, type NodeResponse } from './side.ts'

/** The management routes as middleware: it answers calls of its own, and passes on all others. */
export type ManagementMiddleware<R extends NodeRequest> = (
  req: R,
  res: NodeResponse,
  next: () => void,
) => Promise<void>

/** An endpoint as middleware: it answers every request that reaches it. */
export type EndpointMiddleware = (req: NodeRequest, res: NodeResponse) => Promise<void>

/** An endpoint as middleware for a Node server; `passes` calls go to the next one. */
export function toNode<R extends NodeRequest>(
  answer: Endpoint<R>,
  placeOf: (request: R) => Place = ({ url = '' }) => ({ basePath: '', pathname: url }),
  passes: (place: Place) => boolean = () => false,
): (request: R, response: NodeResponse, next?: () => void) => Promise<void> {
  return async (request, response, next) => {
    const place = placeOf(request)
    if (passes(place)) return next?.()
    if (response.headersSent) return
    const answered = await answer({ ...nodeCall(request, readBody(request)), ...place, request })
    if (!response.headersSent) NODE.write(response, answered)
    discardRest(request)
  }
}

/** The management routes as middleware, below the option `basePath` or, without it, where the host says. */
export function manageOnNode<S extends string, R extends NodeRequest>(
  keys: ApiKeys<S>,
  options: ManageKeysOptions<R> & { readonly basePath?: string },
  placeIn?: (request: R) => Place,
): ManagementMiddleware<R> {
  const { answer, isElsewhere } = createManagement(keys, options, { basePath: true })
  const { basePath } = ownOptions(options)
  const placeOf = basePath === undefined && placeIn ? placeIn : placeBelow(basePath ?? '')
  return toNode(answer, placeOf, isElsewhere)
}

/** Whatever the middleware is mounted on: there `url` lacks that path. */
function placeBelow(basePath: string): (request: NodeRequest) => Place {
  const base = basePathOf(basePath)
  return (request: NodeRequest & { readonly originalUrl?: string }) => {
    const target = request.originalUrl ?? request.url ?? ''
    return { basePath: base, pathname: splitTarget(target).path }
  }
}

/** What a request of Node says of a call. */
export function nodeCall(
  request: NodeRequest,
  body: CallBody,
): Omit<Call<never>, 'request' | keyof Place> {
  const { method = '', url = '' } = request
  const lines = headerLines(request)
  // RFC 9113 §8.3.1: `Host` says nothing beside `:authority`.
  const host = only(lines(':authority')) ?? only(lines('host'))
  return { method, query: splitTarget(url).query, host, lines, body }
}

function only([line, ...more]: readonly string[]): string | null {
  return line === undefined || more.length > 0 ? null : line
}

/** Path and query of a request target in origin form or absolute form (RFC 9112 §3.2). */
export function splitTarget(target: string) {
  const [path = '', ...rest] = target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?]*/i, '').split('?')
  return { path, query: rest.join('?') }
}

/** The bytes of a stream, read in part without closing it. `discardRest` takes care of what is left unread. */
export function streamBody(stream: Pick<Readable, 'iterator'>): CallBody {
  return { bytes: stream.iterator({ destroyOnReturn: false }) }
}

/** The body of a request: its stream, or the result of an earlier parser. */
export function readBody(request: NodeRequest & { readonly body?: unknown }): CallBody {
  if (!request.readableDidRead) return streamBody(request)
  const body = propertyOf(request, 'body')
  if (body === undefined) return 'lost'
  return typeof body === 'string' || body instanceof Uint8Array ? bytesOf(body) : { parsed: body }
}

/** How long a client may go on sending once it has its answer. */
const PATIENCE_MS = 10_000

/**
 * Discards what an answered request still sends, so that its client reads the answer and the connection
 * can be used again: Node does so only for a body that nobody has begun to read. After 10 seconds the
 * connection is closed, over HTTP/2 the stream: no client sends for ever.
 */
export function discardRest(request: NodeRequest): void {
  if (request.readableDidRead) request.resume()
  if (request.complete) return
  const timer = setTimeout(() => close(request), PATIENCE_MS)
  timer.unref()
  for (const event of ['end', 'close']) request.once(event, () => clearTimeout(timer))
}

/** Middleware may have put properties of its own on the request, so the version says which it is. */
function close(request: NodeRequest): void {
  try {
    if (request.httpVersionMajor >= 2 && 'stream' in request) request.stream.close()
    else request.destroy()
  } catch {
    // Nobody catches what a timer throws: it would end the process. The server's own time limits remain.
  }
}
