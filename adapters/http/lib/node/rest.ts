import type { NodeRequest } from './header-lines.ts'

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
