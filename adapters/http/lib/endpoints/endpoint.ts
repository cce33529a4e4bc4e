import type { HttpAnswer } from '../../../../src/http/index.ts'
import { ApiKeyError, type ApiKeys, OutageError } from '../../../../src/index.ts'
import type { Endpoint } from '../call.ts'
import { errorReporter } from '../faults/report.ts'
import { Refusal } from '../management/refusal.ts'
import { secured } from '../secured.ts'

/** An option of each endpoint. */
export interface EndpointOptions {
  /**
   * Receives the reason for a 500 or a 503, which the client does not see. What it throws is ignored.
   * Default: the first failure of each kind is written to standard error, faults only while `createApiKeys`
   * has no `onEvent`.
   */
  readonly onError?: (error: unknown) => void
}

/** An answer as OAuth 2.0 gives errors (RFC 6749 §5.2). */
export function oauthError(
  status: number,
  [error, description]: readonly [error: string, description: string],
  headers: HttpAnswer['headers'] = {},
): Refusal {
  const body = JSON.stringify({ error, error_description: description })
  return new Refusal({ status, headers: { 'content-type': 'application/json', ...headers }, body })
}

/** RFC 7009 §2.2.1: the client must assume that the key still exists, and may retry. */
export const unavailable = (): Refusal =>
  oauthError(503, ['temporarily_unavailable', 'Try again later.'], { 'retry-after': '1' })

const internalError = () => oauthError(500, ['server_error', 'Something went wrong here.'])

/** Makes an endpoint: what is thrown becomes an answer, and what the host must know is reported. */
export function endpoint<S extends string, R>(
  keys: ApiKeys<S>,
  onError: EndpointOptions['onError'],
  respond: Endpoint<R>,
): Endpoint<R> {
  const report = errorReporter(keys, onError)
  const answerTo = (error: unknown): HttpAnswer => {
    if (error instanceof Refusal) return error.answer
    report(error)
    const isClosed = error instanceof ApiKeyError && error.code === 'closed'
    return (isClosed || error instanceof OutageError ? unavailable() : internalError()).answer
  }
  return async (call) => secured(await respond(call).catch(answerTo))
}
