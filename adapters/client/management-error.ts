import type { ProblemCode } from '../../src/http/index.ts'
import { recognizeAcrossCopies } from '../../src/model/across-copies.ts'
import type { MissingGrant } from '../../src/model/grant.ts'
import type { WireKey } from '../http/lib/management/wire/key.ts'
import type { WireIssue } from '../http/lib/management/wire/problems.ts'

/**
 * Why a management call failed. All but three are the server's own codes (RFC 9457), or follow from the status of an
 * answer without one: `rate_limited` is a 429, `network` says that nothing was changed, and `outcome_unknown` that a
 * change may have happened: its answer was lost, is not of these routes, is a 408 or 5xx of a gateway, or the server
 * itself cannot tell. `unexpected` is any other answer that is not of these routes, as a proxy's sign-in page. A 404
 * of anything but the routes is `not_found`, and says nothing about the key.
 */
export type ManagementErrorCode = ProblemCode | 'rate_limited' | 'network' | 'unexpected'

/** What is known about a failed call besides its code. */
export type ManagementErrorDetails = Partial<
  Omit<ManagementError, 'name' | 'message' | 'stack' | 'code'>
>

/**
 * A management call that did not succeed. `code` is stable; the message is for developers. It never
 * carries a secret or what the caller sent. Its `cause` is what `fetch` or `getHeaders` threw, or what is wrong
 * with the answer, without quoting it.
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
  /** Always `ManagementError`, also where a bundler has renamed the class. */
  override get name(): 'ManagementError' {
    return 'ManagementError'
  }
  /** Which reason it is. */
  readonly code: ManagementErrorCode
  /** The HTTP status, when there was an answer. */
  readonly status: number | undefined
  /** For `invalid_input`: every problem of the request. Otherwise empty. */
  readonly issues: readonly WireIssue[]
  /** For `stale`: the key as it stands, if the answer holds it. */
  readonly key: WireKey | undefined
  /** For `not_grantable`: what the key would have beyond what the user may give, by dimension. */
  readonly missing: MissingGrant | undefined
  /** From `Retry-After`, a date turned into whole seconds from now. At most a day (86,400). */
  readonly retryAfterSeconds: number | undefined
  /** From `X-Request-Id`, to quote to support. */
  readonly requestId: string | undefined

  /** The client makes them itself; a test of your own may want one. */
  constructor(code: ManagementErrorCode, details: ManagementErrorDetails = {}) {
    super(`The management call failed: ${code}`, { cause: details.cause })
    this.code = code
    this.status = details.status
    this.issues = details.issues ?? []
    this.key = details.key
    this.missing = details.missing
    this.retryAfterSeconds = details.retryAfterSeconds
    this.requestId = details.requestId
  }
}

recognizeAcrossCopies(ManagementError, 'ManagementError')
