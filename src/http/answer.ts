/** An HTTP response as plain data: any host can write it out. */
export interface HttpAnswer {
  /** The status code (RFC 9110 §15). */
  readonly status: number
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Text for UTF-8; empty where the answer has no body. */
  readonly body: string
}

/** A problem body (RFC 9457) beside its `type`, `title` and `status`. */
export interface ProblemDetails {
  /** What is wrong, as `key_not_found`; stable, for programs. */
  readonly code: string
  /** A sentence for people (RFC 9457 §3.1.4). */
  readonly detail: string
  /** Further members (RFC 9457 §3.2). */
  readonly [extension: string]: unknown
}

/** Status codes that miftah answers with, and their reason phrases (RFC 9110 §15, RFC 6585 §3). */
const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
}

/**
 * An `application/problem+json` answer (RFC 9457). `type` is `urn:miftah:problem:` and the code with `-` for
 * `_`; `title` is the phrase of the status (RFC 9110 §15), left out for a status that miftah does not use
 * itself. The answer is never cached (`no-store`), unless `headers` say otherwise.
 */
export function problem(
  status: number,
  { code, detail, ...extensions }: ProblemDetails,
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer {
  const type = `urn:miftah:problem:${code.replaceAll('_', '-')}`
  return Object.freeze({
    status,
    headers: Object.freeze({
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...headers,
    }),
    body: JSON.stringify({ type, title: TITLES[status], status, detail, code, ...extensions }),
  })
}
