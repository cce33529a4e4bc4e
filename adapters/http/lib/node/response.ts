import type { ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import type { HttpAnswer } from '../../../../src/http/index.ts'
import { withAuthorization } from './vary.ts'

/** A response of Node's servers; HTTP/2 has the same interface through its compatibility API. */
export type NodeResponse = ServerResponse | Http2ServerResponse

/** Adds `Authorization` to `Vary`. */
export function varyByKey(response: NodeResponse): void {
  response.setHeader('vary', withAuthorization(response.getHeader('vary')))
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
  if (vary !== undefined) varyByKey(response)
  addHeaders(response, others)
  response.end(body)
}
