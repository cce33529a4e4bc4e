import type { ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import type { GuardVerdict, HttpAnswer } from '../../../../src/http/index.ts'
import type { AuthenticatedKey } from '../../../../src/index.ts'
import { addToVary } from '../headers.ts'

/** A response of Node's servers; HTTP/2 has the same interface through its compatibility API. */
export type NodeResponse = ServerResponse | Http2ServerResponse

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

/** A request, with its key once `requireKey` has accepted it. */
export interface KeyHolder {
  apiKey?: AuthenticatedKey
}

/** What differs between responses of one kind and another. */
interface Ways<R> {
  /** Something else, such as a timeout, may have answered in the meantime. */
  isAnswered(response: R): boolean
  set(response: R, name: string, value: string): unknown
  end(response: R, body: string): unknown
}

function sideOf<R extends Pick<Reply, 'statusCode' | 'getHeader'>>(ways: Ways<R>) {
  const { isAnswered, set, end } = ways
  /** Adds headers; to `Vary`, beside what it lists. */
  const add = (response: R, headers: HttpAnswer['headers']) => {
    for (const [name, value] of Object.entries(headers)) {
      set(response, name, name === 'vary' ? addToVary(response.getHeader(name), value) : value)
    }
  }
  const write = (response: R, { status, headers, body }: HttpAnswer) => {
    response.statusCode = status
    add(response, headers)
    end(response, body)
  }
  /** Carries out a verdict. Returns whether the route may run. */
  const passes = (verdict: GuardVerdict, holder: KeyHolder, response: R) => {
    if (isAnswered(response)) return false
    if (!verdict.ok) {
      write(response, verdict.answer)
      return false
    }
    add(response, verdict.headers)
    if (verdict.key !== null) holder.apiKey = verdict.key
    return true
  }
  return { isAnswered, add, write, passes }
}

/** Responses of Node, and so of Express. Node itself omits the body for HEAD. */
export const NODE = sideOf<NodeResponse>({
  isAnswered: (response) => response.headersSent,
  set: (response, name, value) => response.setHeader(name, value),
  end: (response, body) => response.end(body),
})

/** Replies of Fastify, whose hooks and logs see the answer. */
export const FASTIFY = sideOf<Reply>({
  isAnswered: (reply) => reply.sent,
  set: (reply, name, value) => reply.header(name, value),
  // Bytes: Fastify adds a charset to JSON types of strings, and RFC 9457 §3 has none.
  end: (reply, body) => reply.send(new TextEncoder().encode(body)),
})
