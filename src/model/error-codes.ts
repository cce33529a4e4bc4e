export interface CodeSpec {
  /** The status over HTTP (RFC 9110 §15); `null` for what no client can cause. */
  readonly status: number | null
  /** A sentence for people. */
  readonly message: string
}

/** Every reason for which miftah refuses a call of the program: the codes of an {@link ApiKeyError}. @internal */
export const errorCodes = {
  invalid_input: { status: 422, message: 'The input is not valid.' },
  plan_required: {
    status: 403,
    message: 'The plan of the workspace does not include the public API.',
  },
  not_grantable: { status: 403, message: 'The key would have more than this user may give.' },
  active_key_limit_reached: {
    status: 409,
    message: 'The workspace has reached its active-key limit.',
  },
  workspace_erased: { status: 409, message: 'The workspace has been erased.' },
  key_revoked: { status: 409, message: 'The key is revoked.' },
  key_expired: { status: 409, message: 'The key has expired.' },
  key_rotated: { status: 409, message: 'The key has been replaced.' },
  overlap_limit_reached: {
    status: 409,
    message: 'The workspace has too many keys that are being replaced.',
  },
  stale: { status: 412, message: 'The key has changed since the given version.' },
  key_not_found: { status: 404, message: 'There is no such key in this workspace.' },
  usage_not_kept: { status: 404, message: 'Usage history is turned off.' },
  unknown_scope: { status: null, message: 'The required scope is not in the scope catalogue.' },
  closed: { status: null, message: 'close() was called; no further calls are accepted.' },
} as const satisfies Readonly<Record<string, CodeSpec>>

const { unknown_scope: _, closed: __, ...answered } = errorCodes

/**
 * Every `code` of a problem that the management routes answer with: most codes of an `ApiKeyError`, and those
 * of the routes themselves. Each has its HTTP status and a sentence for people. @internal
 */
export const problemCodes = {
  ...answered,
  bad_request: { status: 400, message: 'The body is not JSON in UTF-8.' },
  unauthenticated: { status: 401, message: 'Nobody is signed in.' },
  forbidden: { status: 403, message: 'This user may not manage API keys.' },
  operation_not_allowed: { status: 403, message: 'This user may not perform this operation.' },
  not_found: { status: 404, message: 'There is no such route.' },
  method_not_allowed: { status: 405, message: 'This route does not support this method.' },
  workspace_changed: {
    status: 409,
    message: 'The session is in a different workspace from the page. Nothing was done.',
  },
  too_large: { status: 413, message: 'The body may have at most 64 KiB.' },
  unsupported_media_type: { status: 415, message: 'The body must be uncompressed JSON in UTF-8.' },
  precondition_required: { status: 428, message: 'Send the ETag of the key in If-Match.' },
  internal_error: { status: 500, message: 'Something went wrong here.' },
  // 500 and not 503, which many HTTP clients retry by themselves: that would issue a second key.
  outcome_unknown: { status: 500, message: 'The change may have been made.' },
  storage_unavailable: { status: 503, message: 'API keys cannot be managed right now.' },
} as const satisfies Readonly<Record<string, CodeSpec>>

/** The `code` of a problem of the management routes. */
export type ProblemCode = keyof typeof problemCodes
