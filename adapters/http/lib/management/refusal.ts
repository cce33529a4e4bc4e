import { type HttpAnswer, problem } from '../../../../src/http/index.ts'
import { PROBLEMS, type ProblemCode } from './wire/problems.ts'

interface Details {
  readonly code: ProblemCode
  readonly detail: string
  /** Further members of the body. */
  readonly [extension: string]: unknown
}

/** The problem with the status of its code. */
export function problemWith(
  details: Details,
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer {
  return problem(PROBLEMS[details.code].status, details, headers)
}

/** Thrown by a step of a call to end it with an answer. */
export class Refusal extends Error {
  readonly answer: HttpAnswer

  constructor(answer: HttpAnswer) {
    super(`Refused with ${answer.status}`)
    this.answer = answer
  }
}

function refusal(code: ProblemCode, detail: string, headers?: HttpAnswer['headers']): Refusal {
  return new Refusal(problemWith({ code, detail }, headers))
}

/**
 * RFC 9110 §15.5.2 checks a challenge. Browsers show no prompt for this scheme, and it is not
 * `Bearer`: an API key would not help.
 */
const CHALLENGE = 'Session realm="api-key-management"'

/** The refusals of the routes themselves. */
export const refusals = {
  notFound: () => refusal('not_found', 'There is no such route.'),

  methodNotAllowed: (allow: string) =>
    refusal('method_not_allowed', 'This route does not support this method.', { allow }),

  anotherSite: () => refusal('forbidden', 'Only pages of this site may change keys.'),

  forbidden: () => refusal('forbidden', 'This user may not manage API keys.'),

  operationNotAllowed: () =>
    refusal('operation_not_allowed', 'This user may not perform this operation.'),

  unauthenticated: () =>
    refusal('unauthenticated', 'Nobody is signed in.', { 'www-authenticate': CHALLENGE }),

  workspaceChanged: () =>
    refusal(
      'workspace_changed',
      'The session is in a different workspace from the page. Nothing was done.',
    ),

  notJson: () =>
    refusal('unsupported_media_type', 'The body must be application/json in UTF-8.', {
      accept: 'application/json',
    }),

  // RFC 5789 §2.2.
  notMergePatch: () =>
    refusal(
      'unsupported_media_type',
      'The body must be application/merge-patch+json or application/json in UTF-8.',
      { 'accept-patch': 'application/merge-patch+json, application/json' },
    ),

  withoutVersion: () => refusal('precondition_required', 'Send the ETag of the key in If-Match.'),

  encoded: () =>
    refusal('unsupported_media_type', 'The body must not be compressed.', {
      'accept-encoding': 'identity',
    }),

  tooLarge: () => refusal('too_large', 'The body may have at most 64 KiB.'),

  badBody: () => refusal('bad_request', 'The body is not JSON.'),
} as const
