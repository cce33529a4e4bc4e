import { type CodeSpec, errorCodes } from './error-codes.ts'

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
