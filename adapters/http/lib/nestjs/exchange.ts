import type { HttpAnswer } from '../../../../src/http/index.ts'
import type { AuthenticatedKey } from '../../../../src/index.ts'
import type { NodeRequest } from '../node/header-lines.ts'
import { addReplyHeaders, type Reply, sendAnswer, varyReplyBy } from '../node/reply.ts'
import { addHeaders, type NodeResponse, varyBy, writeAnswer } from '../node/response.ts'

/** A request, with its key once `requireKey` has accepted it. */
export interface KeyHolder {
  apiKey?: AuthenticatedKey
}

/** A request and its response, whichever platform NestJS runs on. */
export interface Exchange {
  readonly request: NodeRequest
  /** The host's request, which receives the key. */
  readonly holder: KeyHolder
  isAnswered(): boolean
  varyBy(headers: string): void
  addHeaders(headers: Readonly<Record<string, string>>): void
  answer(answer: HttpAnswer): void
}

interface FastifyRequest extends KeyHolder {
  readonly raw: NodeRequest
}

/** Detects the platform: Fastify wraps the objects of Node, Express extends them. */
export function exchangeOf(request: unknown, response: NodeResponse | Reply): Exchange {
  return isOfNode(response)
    ? ofExpress(request as NodeRequest & KeyHolder, response)
    : ofFastify(request as FastifyRequest, response)
}

function isOfNode(response: NodeResponse | Reply): response is NodeResponse {
  return 'writeHead' in response
}

function ofFastify(holder: FastifyRequest, reply: Reply): Exchange {
  return {
    request: holder.raw,
    holder,
    isAnswered: () => reply.sent,
    varyBy: (headers) => varyReplyBy(reply, headers),
    addHeaders: (headers) => addReplyHeaders(reply, headers),
    answer: (answer) => void sendAnswer(reply, answer),
  }
}

function ofExpress(request: NodeRequest & KeyHolder, response: NodeResponse): Exchange {
  return {
    request,
    holder: request,
    isAnswered: () => response.headersSent,
    varyBy: (headers) => varyBy(response, headers),
    addHeaders: (headers) => addHeaders(response, headers),
    answer: (answer) => writeAnswer(response, answer),
  }
}
