import { type HttpAnswer, problem } from '../../../../src/http/index.ts'

/** Thrown by a step of a call to end it with an answer. */
export class Refusal extends Error {
  readonly answer: HttpAnswer

  constructor(
    status: number,
    details: { readonly code: string; readonly detail: string },
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(details.detail)
    this.answer = problem(status, details, headers)
  }
}

/**
 * RFC 9110 §15.5.2 demands a challenge. The scheme is not one that browsers ask people about, and not
 * `Bearer`: no API key would help.
 */
const CHALLENGE = 'Session realm="api-key-management"'

/** The refusals of the routes themselves. */
export const refusals = {
  notFound: () => new Refusal(404, { code: 'not_found', detail: 'There is no such route.' }),

  methodNotAllowed: (allow: string) =>
    new Refusal(
      405,
      { code: 'method_not_allowed', detail: 'This route has other methods.' },
      { allow },
    ),

  anotherSite: () =>
    new Refusal(403, { code: 'forbidden', detail: 'Only pages of this site may change keys.' }),

  forbidden: () =>
    new Refusal(403, { code: 'forbidden', detail: 'This user may not manage API keys.' }),

  unauthenticated: () =>
    new Refusal(
      401,
      { code: 'unauthenticated', detail: 'Nobody is signed in.' },
      { 'www-authenticate': CHALLENGE },
    ),

  workspaceChanged: () =>
    new Refusal(409, {
      code: 'workspace_changed',
      detail: 'The session is in another workspace than the page. Nothing was done.',
    }),

  notJson: () =>
    new Refusal(
      415,
      { code: 'unsupported_media_type', detail: 'The body must be application/json in UTF-8.' },
      { accept: 'application/json' },
    ),

  encoded: () =>
    new Refusal(
      415,
      { code: 'unsupported_media_type', detail: 'The body must not be compressed.' },
      { 'accept-encoding': 'identity' },
    ),

  tooLarge: () =>
    new Refusal(413, { code: 'too_large', detail: 'The body may have at most 64 KiB.' }),

  badBody: () => new Refusal(400, { code: 'bad_request', detail: 'The body is not JSON.' }),
} as const
