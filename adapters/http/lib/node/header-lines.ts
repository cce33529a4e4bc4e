import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import type { HeaderLines } from '../../../../src/http/index.ts'
import { propertyOf } from '../property.ts'

/** A request of Node's servers; HTTP/2 has the same face through its compatibility API. */
export type NodeRequest = IncomingMessage | Http2ServerRequest

/**
 * The header lines of a request as they came. `headers` alone would not do: Node keeps the first of
 * two `Authorization` lines and says nothing. Requests made by other means (serverless wrappers) may
 * have no raw lines; then `headers` is all there is.
 */
export function headerLines(request: NodeRequest): HeaderLines {
  return (name) => {
    const lines = linesNamed(name, propertyOf(request, 'rawHeaders'))
    if (lines.length > 0) return lines
    // Asked for last: Node makes this object when somebody looks at it.
    const { headers } = request
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined
    return value === undefined ? [] : [value].flat()
  }
}

function linesNamed(name: string, rawHeaders: readonly string[] = []): string[] {
  const lines: string[] = []
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const own = rawHeaders[at]
    if (own?.length !== name.length || own.toLowerCase() !== name) continue
    lines.push(rawHeaders[at + 1] ?? '')
  }
  return lines
}
