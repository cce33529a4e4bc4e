import type { HttpAnswer } from '../../../../src/http/index.ts'
import { ApiKeyError, type ApiKeys, OutageError } from '../../../../src/index.ts'
import { type Call, type Endpoint, isParsed } from '../call.ts'
import { errorReporter } from '../faults/report.ts'
import { secured } from '../headers.ts'
import { assertSmall, readText } from '../management/body.ts'
import { Refusal } from '../management/refusal.ts'

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
    if (isClosed || error instanceof OutageError) return unavailable().answer
    return oauthError(500, ['server_error', 'Something went wrong here.']).answer
  }
  return async (call) => secured(await respond(call).catch(answerTo))
}

const MEDIA_TYPE = /^application\/x-www-form-urlencoded[ \t]*(?:;|$)/i

/** A refusal of what a client has sent (RFC 6749 §5.2). */
export function invalid(description: string, status = 400): Refusal {
  return oauthError(status, ['invalid_request', description])
}

/**
 * The parameters of a call: POST with a form of at most 64 KiB. The query is not read. Refuses another
 * method (405), another type of body (400) and a larger one (413).
 */
export async function readForm(call: Call<unknown>): Promise<URLSearchParams> {
  const { method, lines, body } = call
  if (method !== 'POST') {
    throw oauthError(405, ['invalid_request', 'Use POST.'], { allow: 'POST' })
  }
  const [type = '', ...more] = lines('content-type')
  if (more.length > 0 || !MEDIA_TYPE.test(type)) {
    throw invalid('The body must be application/x-www-form-urlencoded.')
  }
  if (body === 'lost') throw new Error('the body was read before; mount the endpoint earlier.')
  if (body === null) return new URLSearchParams()
  if (isParsed(body)) return parsedForm(body.parsed)
  try {
    assertSmall(lines)
    return new URLSearchParams(await readText(body.bytes))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw invalid('The body is broken, or has more than 64 KiB.', error.answer.status)
  }
}

/** A form that the host's parser has read: a repeated parameter is a list. */
function parsedForm(parsed: unknown): URLSearchParams {
  const fields = Object.entries(Object(parsed)).flatMap(([name, value]) =>
    [value].flat().map((item: unknown) => [name, item] as const),
  )
  const isText = (field: readonly [string, unknown]): field is [string, string] =>
    typeof field[1] === 'string'
  if (!fields.every(isText)) throw invalid('The body is not a plain form.')
  return new URLSearchParams(fields)
}

/** A parameter that may be there once; `undefined` without a value (RFC 6749 §3.1). */
export function only(form: URLSearchParams, name: string): string | undefined {
  const [value, ...more] = form.getAll(name)
  if (more.length > 0) throw invalid(`Send "${name}" once.`)
  return value || undefined
}

/** The one token of a call. */
export function tokenIn(form: URLSearchParams): string {
  const token = only(form, 'token')
  if (token === undefined) throw invalid('Send the parameter "token".')
  return token
}
