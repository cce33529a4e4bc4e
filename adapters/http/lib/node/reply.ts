import type { HttpAnswer } from '../../../../src/http/index.ts'
import { addToVary } from '../vary.ts'

/** The part of a Fastify reply that is used, so that replies of every kind of server and route fit. */
export interface Reply {
  /** Whether the reply was already sent. */
  readonly sent: boolean
  /** The status to send. */
  statusCode: number
  /** Returns a header set earlier; its name is case-insensitive. */
  getHeader(name: string): number | string | string[] | undefined
  /** Sets a header. */
  header(name: string, value: string): unknown
  /** Ends the reply with a body. */
  send(payload: Uint8Array): unknown
}

/** Adds headers to `Vary`. */
export function varyReplyBy(reply: Reply, headers: string): void {
  reply.header('vary', addToVary(reply.getHeader('vary'), headers))
}

/** Adds headers to a reply that something else will send. */
export function addReplyHeaders(reply: Reply, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) reply.header(name, value)
}

/** Sends an answer through Fastify, so that its hooks and logs see it. */
export function sendAnswer<R extends Reply>(reply: R, { status, headers, body }: HttpAnswer): R {
  const { vary, ...others } = headers
  reply.statusCode = status
  if (vary !== undefined) varyReplyBy(reply, vary)
  addReplyHeaders(reply, others)
  // Bytes: Fastify adds a charset to JSON types of strings, and RFC 9457 §3 has none.
  reply.send(new TextEncoder().encode(body))
  return reply
}
