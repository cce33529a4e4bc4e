import type { WireIssue } from './wire.ts'

/** The codes that the management routes answer with. */
export const serverCodes = [
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
] as const

/**
 * Why a management call failed. All but four are the server's own codes: `rate_limited` is any 429,
 * `network` says that nothing was changed, `unknown_outcome` that a change may have happened although
 * its answer was lost, and `unexpected` is an answer that is not of this protocol.
 */
export type ManagementErrorCode =
  | (typeof serverCodes)[number]
  | 'rate_limited'
  | 'network'
  | 'unknown_outcome'
  | 'unexpected'

/** What is known about a failed call besides its code. */
export interface ManagementErrorDetails {
  readonly status?: number
  readonly issues?: readonly WireIssue[]
  readonly retryAfterSeconds?: number
  readonly requestId?: string
  readonly cause?: unknown
}

/** A management call that did not succeed; never carries a secret or what the caller sent. */
export class ManagementError extends Error {
  readonly code: ManagementErrorCode
  /** The HTTP status, when there was an answer. */
  readonly status: number | undefined
  /** One entry per refused field, for `invalid_input`. */
  readonly issues: readonly WireIssue[]
  /** From `Retry-After`. */
  readonly retryAfterSeconds: number | undefined
  /** From `X-Request-Id`, to quote to support. */
  readonly requestId: string | undefined

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
