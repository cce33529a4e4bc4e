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

function close(request: NodeRequest): void {
  if ('stream' in request) request.stream.close()
  else request.destroy()
}
