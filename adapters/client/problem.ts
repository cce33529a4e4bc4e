import { type ProblemCode, problemCodes } from '../../src/model/problem-codes.ts'
import { isKey, issuesIn, missingIn } from './answers.ts'
import {
  ManagementError,
  type ManagementErrorCode,
  type ManagementErrorDetails,
} from './management-error.ts'

/** RFC 9457 with the members of the management routes, as far as an answer can be trusted to hold them. */
interface Problem {
  readonly code?: unknown
  readonly issues?: unknown
  readonly key?: unknown
  readonly missing?: unknown
}

interface SentRequest {
  readonly isChange: boolean
  readonly signal: AbortSignal | undefined
}

/** No caller needs to wait longer before it asks again. */
const longestWaitSeconds = 86_400

const codesOfStatus: Readonly<Record<number, ManagementErrorCode>> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  422: 'invalid_input',
  429: 'rate_limited',
}

/**
 * Turns an answer outside 2xx into the error to throw. Proxies and the host's own middleware answer
 * too, with bodies of their own: a code that is not of the routes says nothing, and the status counts.
 */
export async function errorOf(response: Response, request: SentRequest): Promise<ManagementError> {
  const { code, issues, key, missing } = await problemIn(response, request)
  return new ManagementError(isProblemCode(code) ? code : codeOfStatus(response.status, request), {
    ...aboutAnswer(response),
    issues: issuesIn(issues),
    ...(isKey(key) ? { key } : {}),
    ...missingIn(missing),
  })
}

function isProblemCode(code: unknown): code is ProblemCode {
  return typeof code === 'string' && Object.hasOwn(problemCodes, code)
}

async function problemIn(response: Response, { signal }: SentRequest): Promise<Problem> {
  try {
    return (await response.json()) ?? {}
  } catch {
    signal?.throwIfAborted()
    return {}
  }
}

/** A gateway that gave up waiting, or lost the server, does not know whether a change was made. */
function codeOfStatus(status: number, { isChange }: SentRequest): ManagementErrorCode {
  if (isChange && (status === 408 || status >= 500)) return 'outcome_unknown'
  return codesOfStatus[status] ?? 'unexpected'
}

/** What any answer, good or bad, says about itself. */
export function aboutAnswer({ status, headers }: Response): ManagementErrorDetails {
  const retryAfterSeconds = secondsUntilRetry(headers.get('Retry-After'))
  const requestId = headers.get('X-Request-Id')
  return {
    status,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(requestId === null ? {} : { requestId }),
  }
}

// RFC 9110 §10.2.3: a number of seconds or a date.
function secondsUntilRetry(value: string | null): number | undefined {
  if (value === null) return undefined
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  if (Number.isNaN(seconds)) return undefined
  return Math.min(Math.max(0, Math.ceil(seconds)), longestWaitSeconds)
}
