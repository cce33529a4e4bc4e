import type { HttpAnswer } from '../../../../src/http/index.ts'
import { addVary } from '../vary.ts'
import { GUARDED_BY, type NodeResponse, watchVary } from './response.ts'

/** What of a Fastify reply is touched, so that replies of every kind of server and route fit. */
export interface Reply {
  /** Node's own response. */
  readonly raw: NodeResponse
  /** Whether the reply was sent already. */
  readonly sent: boolean
  /** The status to send. */
  statusCode: number
  /** A header set before, in any case of letters. */
  getHeader(name: string): number | string | string[] | undefined
  /** Sets a header. */
  header(name: string, value: string): unknown
  /** Ends the reply with a body. */
  send(payload: Uint8Array): unknown
}

/** Makes a reply say `Vary: Authorization`, whatever the route does. */
export function keepReplyVary(reply: Reply): void {
  reply.header('vary', addVary(reply.getHeader('vary'), GUARDED_BY))
  watchVary(reply.raw)
}

/** Sends an answer through Fastify, so that its hooks and logs see it. */
export function sendAnswer<R extends Reply>(reply: R, { status, headers, body }: HttpAnswer): R {
  reply.statusCode = status
  for (const [name, value] of Object.entries(headers)) {
    reply.header(name, name === 'vary' ? addVary(reply.getHeader('vary'), value) : value)
  }
  // Bytes, because Fastify adds a charset to JSON types of text, and RFC 9457 §3 has none.
  reply.send(new TextEncoder().encode(body))
  return reply
}
