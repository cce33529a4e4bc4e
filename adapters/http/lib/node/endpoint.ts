import type { Endpoint } from '../endpoints/endpoint.ts'
import { readBody } from './call.ts'
import { headerLines, type NodeRequest } from './header-lines.ts'
import { type NodeResponse, writeAnswer } from './response.ts'
import { discardRest } from './rest.ts'

/** An endpoint as middleware: it answers every request that reaches it. */
export type EndpointMiddleware = (req: NodeRequest, res: NodeResponse) => Promise<void>

/** Has an endpoint answer the requests of a Node server. */
export function nodeEndpoint<R>(answer: Endpoint<R>): EndpointMiddleware {
  return async (req, res) => {
    if (res.headersSent) return
    const { method = '' } = req
    const call = { method, lines: headerLines(req), body: readBody(req), request: req as R }
    const answered = await answer(call)
    if (!res.headersSent) writeAnswer(res, answered)
    discardRest(req)
  }
}
