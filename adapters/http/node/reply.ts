import type { HttpAnswer } from '../../../src/index.ts'
import { addVary } from '../vary.ts'
import type { NodeResponse } from './response.ts'

/** What of a Fastify reply is touched, so that replies of every kind of server and route fit. */
export interface Reply {
  readonly raw: NodeResponse
  readonly sent: boolean
  statusCode: number
  getHeader(name: string): number | string | string[] | undefined
  header(name: string, value: string): unknown
  send(payload: Uint8Array): unknown
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
