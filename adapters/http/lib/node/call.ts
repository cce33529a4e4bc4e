import { propertyOf } from '../../../../src/lib/property.ts'
import { bytesOf } from '../management/body.ts'
import type { CallBody, ManagementCall } from '../management/call.ts'
import { headerLines, type NodeRequest } from './header-lines.ts'

/** Where in a host a call arrived, and its body. */
export interface Arrival extends Pick<ManagementCall, 'basePath' | 'pathname' | 'context'> {
  readonly request: NodeRequest
  readonly body: CallBody
}

/** A management call of a Node server. */
export function nodeCall({ request, ...arrival }: Arrival): ManagementCall {
  const lines = headerLines(request)
  return {
    ...arrival,
    method: request.method ?? '',
    query: splitTarget(request.url ?? '').query,
    // RFC 9113 §8.3.1: `Host` says nothing beside `:authority`.
    host: only(lines(':authority')) ?? only(lines('host')),
    lines,
  }
}

function only([line, ...more]: readonly string[]): string | null {
  return line === undefined || more.length > 0 ? null : line
}

/** Path and query of a request target in origin form or absolute form (RFC 9112 §3.2). */
export function splitTarget(target: string) {
  const [path = '', ...rest] = target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?]*/i, '').split('?')
  return { path, query: rest.join('?') }
}

/** A stream that can be read in part: leaving it early must not close the connection. */
interface Stream {
  iterator(options: { destroyOnReturn: boolean }): AsyncIterable<Uint8Array>
}

/** The bytes of a stream. `discardRest` takes care of what is left unread. */
export function streamBody(stream: Stream): CallBody {
  return { bytes: stream.iterator({ destroyOnReturn: false }) }
}

/** The body of a request: its stream, or the result of an earlier parser. */
export function readBody(request: NodeRequest & { readonly body?: unknown }): CallBody {
  if (!request.readableDidRead) return streamBody(request)
  const body = propertyOf(request, 'body')
  if (body === undefined) return 'lost'
  return typeof body === 'string' || body instanceof Uint8Array ? bytesOf(body) : { parsed: body }
}
