import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import type { HeaderLines } from '../../../../src/http/index.ts'
import { propertyOf } from '../../../../src/lib/own-data.ts'

/** A request of Node's servers; HTTP/2 has the same interface through its compatibility API. */
export type NodeRequest = IncomingMessage | Http2ServerRequest

/**
 * The header lines of a request as they came. `headers` is not enough: of two `Authorization` lines
 * Node keeps the first and drops the second silently. Requests that serverless wrappers make may have
 * no raw lines; then `headers` has to do.
 */
export function headerLines(request: NodeRequest): HeaderLines {
  return (name) => {
    const lines = linesNamed(name, propertyOf(request, 'rawHeaders') ?? [])
    return lines.length > 0 ? lines : linesIn(request.headers, name)
  }
}

/** Names and values alternate in raw headers. */
function linesNamed(name: string, rawHeaders: readonly string[]): readonly string[] {
  const lines: string[] = []
  for (let at = 1; at < rawHeaders.length; at += 2) {
    const [line, value] = [rawHeaders[at - 1], rawHeaders[at]]
    // The length first: nearly all other names differ in it.
    const isNamed = line?.length === name.length && line.toLowerCase() === name
    if (value !== undefined && isNamed) lines.push(value)
  }
  return lines
}

function linesIn(headers: IncomingHttpHeaders, name: string): readonly string[] {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined
  return value === undefined ? [] : [value].flat()
}
