import type { HeaderLines, HttpAnswer } from '../../../src/http/index.ts'
import type { Call, CallBody, Endpoint } from './call.ts'
import { addToVary } from './headers.ts'

/** The lines of a request's headers. `Headers` joins repeated lines with a comma (Fetch §2.2.2). */
export function linesOf(headers: Headers): HeaderLines {
  return (name) => {
    const value = headers.get(name)
    return value === null ? [] : [value]
  }
}

/** What a `Request` says of a call. */
export function callOf(
  request: Request,
  body = streamOf(request),
  basePath = '',
): Omit<Call<never>, 'request'> {
  const { method, headers, url } = request
  const { pathname, search, host } = new URL(url)
  return { method, basePath, pathname, query: search.slice(1), host, lines: linesOf(headers), body }
}

/** An endpoint as one Web-standard handler. */
export function toFetch<R extends Request>(
  answer: Endpoint<R>,
  basePath?: string,
): (request: R) => Promise<Response> {
  return async (request) => {
    const call = callOf(request, streamOf(request), basePath)
    return toResponse(await answer({ ...call, request }), request.method)
  }
}

/** An answer as a `Response`; the answer to HEAD has no body (RFC 9110 §9.3.2). */
export function toResponse({ status, headers, body }: HttpAnswer, method: string): Response {
  const bodiless = method === 'HEAD' || body === ''
  // A copy: Hono's servers keep this object and add to it.
  return new Response(bodiless ? null : body, { status, headers: { ...headers } })
}

/** The response with headers added; to `Vary`, beside what it lists (RFC 9110 §12.5.5). */
export function completed(response: Response, headers: Readonly<Record<string, string>>): Response {
  if (isUpgrade(response)) return response
  try {
    complete(response.headers, headers)
    return response
  } catch {
    // The headers of responses from `fetch` and `Response.redirect` are immutable (Fetch §5.5).
    const copy = new Response(response.body, response)
    complete(copy.headers, headers)
    return copy
  }
}

/** Deno knows the response to a WebSocket handshake by its identity, so that no copy will do. */
export function isUpgrade({ status }: Response): boolean {
  return status === 101
}

function complete(target: Headers, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    target.set(name, name === 'vary' ? addToVary(target.get(name) ?? undefined, value) : value)
  }
}

/** The body of a request; `'lost'` where something has read it. */
export function streamOf({ body, bodyUsed }: Request): CallBody {
  if (bodyUsed || body?.locked) return 'lost'
  return body === null ? null : { bytes: chunks(body) }
}

/** Not every runtime can iterate a stream. */
async function* chunks(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}
