import type { ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import type { HttpAnswer } from '../../../../src/http/index.ts'
import { addToVary } from '../vary.ts'

/** A response of Node's servers; HTTP/2 has the same interface through its compatibility API. */
export type NodeResponse = ServerResponse | Http2ServerResponse

/** Adds headers to `Vary`. */
export function varyBy(response: NodeResponse, headers: string): void {
  response.setHeader('vary', addToVary(response.getHeader('vary'), headers))
}

/** Adds headers to a response that something else will write. */
export function addHeaders(
  response: NodeResponse,
  headers: Readonly<Record<string, string>>,
): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
}

/** Writes an answer and ends the response. Node itself omits the body for HEAD. */
export function writeAnswer(response: NodeResponse, { status, headers, body }: HttpAnswer): void {
  const { vary, ...others } = headers
  response.statusCode = status
  if (vary !== undefined) varyBy(response, vary)
  addHeaders(response, others)
  response.end(body)
}
