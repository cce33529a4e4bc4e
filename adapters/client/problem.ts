import {
  isErrorCode,
  ManagementError,
  type ManagementErrorCode,
  type ManagementErrorDetails,
} from './management-error.ts'
import type { WireIssue } from './wire.ts'

/** Turns an answer outside 2xx into the error to throw. */
export async function errorOf(response: Response): Promise<ManagementError> {
  const problem = await readJson(response)
  const stated = field(problem, 'code')
  return new ManagementError(isErrorCode(stated) ? stated : codeOfStatus(response.status), {
    ...aboutAnswer(response),
    issues: issuesOf(field(problem, 'issues')),
  })
}

/** What any answer, good or bad, says about itself. */
export function aboutAnswer(response: Response): ManagementErrorDetails {
  const retryAfterSeconds = secondsUntilRetry(response.headers.get('Retry-After'))
  const requestId = response.headers.get('X-Request-Id')
  return {
    status: response.status,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(requestId === null ? {} : { requestId }),
  }
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch {
    return null
  }
}

function codeOfStatus(status: number): ManagementErrorCode {
  if (status === 401) return 'unauthenticated'
  if (status === 403) return 'forbidden'
  if (status === 404) return 'key_not_found'
  if (status === 422) return 'invalid_input'
  if (status === 429) return 'rate_limited'
  return 'unexpected'
}

function issuesOf(value: unknown): readonly WireIssue[] {
  if (!Array.isArray(value)) return []
  return value.map((issue) => ({
    path: pathOf(field(issue, 'path')),
    code: String(field(issue, 'code') ?? ''),
    message: String(field(issue, 'message') ?? ''),
  }))
}

function pathOf(value: unknown): string {
  return Array.isArray(value) ? value.map(String).join('.') : String(value ?? '')
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

// RFC 9110 §10.2.3: a number of seconds or a date.
function secondsUntilRetry(value: string | null): number | undefined {
  if (value === null) return undefined
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined
}
