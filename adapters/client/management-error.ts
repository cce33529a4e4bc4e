import type { WireIssue } from './wire.ts'

/**
 * Why a management call failed. All but four are the server's own codes (RFC 9457), or follow from
 * the status of an answer without one: `rate_limited` is a 429, `network` says that nothing was
 * changed, `unknown_outcome` that a change may have happened although its answer was lost, and
 * `unexpected` is an answer that is not of this protocol.
 */
export type ManagementErrorCode =
  | 'invalid_input'
  | 'bad_request'
  | 'unsupported_media_type'
  | 'too_large'
  | 'active_key_limit_reached'
  | 'key_revoked'
  | 'key_not_found'
  | 'plan_required'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'storage_unavailable'
  | 'internal_error'
  | 'rate_limited'
  | 'network'
  | 'unknown_outcome'
  | 'unexpected'

/** The codes that the management routes answer with. */
export const serverCodes: readonly ManagementErrorCode[] = [
  'invalid_input',
  'bad_request',
  'unsupported_media_type',
  'too_large',
  'active_key_limit_reached',
  'key_revoked',
  'key_not_found',
  'plan_required',
  'unauthenticated',
  'forbidden',
  'not_found',
  'method_not_allowed',
  'storage_unavailable',
  'internal_error',
]

/** What is known about a failed call besides its code. */
export interface ManagementErrorDetails {
  /** The HTTP status, when there was an answer. */
  readonly status?: number
  /** What is wrong with the input, for `invalid_input`. Default: nothing. */
  readonly issues?: readonly WireIssue[]
  /** From `Retry-After`: whole seconds. */
  readonly retryAfterSeconds?: number
  /** From `X-Request-Id`. */
  readonly requestId?: string
  /** What `fetch`, `getHeaders` or the JSON parser threw. */
  readonly cause?: unknown
}

/**
 * A management call that did not succeed. `code` is stable; the message is for developers. It never
 * carries a secret or what the caller sent.
 *
 * @example
 * ```ts
 * import { ManagementError } from 'miftah/client'
 *
 * const error: unknown = new ManagementError('rate_limited', { status: 429, retryAfterSeconds: 3 })
 * if (error instanceof ManagementError) error.retryAfterSeconds //=> 3
 * ```
 */
export class ManagementError extends Error {
  /** Which reason it is. */
  readonly code: ManagementErrorCode
  /** The HTTP status, when there was an answer. */
  readonly status: number | undefined
  /** For `invalid_input`: every problem of the request. Otherwise empty. */
  readonly issues: readonly WireIssue[]
  /** From `Retry-After` (RFC 9110 §10.2.3), a date turned into whole seconds from now. */
  readonly retryAfterSeconds: number | undefined
  /** From `X-Request-Id`, to quote to support. */
  readonly requestId: string | undefined

  /** The client makes them itself; a test of your own may want one. */
  constructor(code: ManagementErrorCode, details: ManagementErrorDetails = {}) {
    super(`The management call failed: ${code}`, { cause: details.cause })
    this.name = 'ManagementError'
    this.code = code
    this.status = details.status
    this.issues = details.issues ?? []
    this.retryAfterSeconds = details.retryAfterSeconds
    this.requestId = details.requestId
  }
}
