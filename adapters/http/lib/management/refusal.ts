import {
  type HttpAnswer,
  type ProblemCode,
  problem,
  problemCodes,
} from '../../../../src/http/index.ts'
import { ApiKeyError, type InputIssue } from '../../../../src/index.ts'

/** What a problem says beside its code. */
interface Details {
  /** Default: the sentence of the code. */
  readonly detail?: string
  /** Further members of the body. */
  readonly [extension: string]: unknown
}

/** The problem with the status of its code. */
export function problemWith(
  code: ProblemCode,
  details: Details = {},
  headers: HttpAnswer['headers'] = {},
): HttpAnswer {
  const { status, message } = problemCodes[code]
  return problem(status, { code, detail: message, ...details }, headers)
}

/** Thrown by a step of a call to end it with an answer. */
export class Refusal extends Error {
  readonly answer: HttpAnswer

  constructor(answer: HttpAnswer) {
    super(`Refused with ${answer.status}`)
    this.answer = answer
  }
}

/** What the core throws for one thing wrong with a request. */
export function invalid(
  path: InputIssue['path'],
  code: InputIssue['code'],
  message: string,
): ApiKeyError {
  return new ApiKeyError('invalid_input', { issues: [{ path, code, message }] })
}

/**
 * RFC 9110 §15.5.2 checks a challenge. Browsers show no prompt for this scheme, and it is not
 * `Bearer`: an API key would not help.
 */
const CHALLENGE = 'Session realm="api-key-management"'

const JSON_TYPE = 'application/json'
const PATCH_TYPES = 'application/merge-patch+json, application/json'

/** A refusal with a code of the routes. */
export function refusal(...problem: Parameters<typeof problemWith>): Refusal {
  return new Refusal(problemWith(...problem))
}

/** The refusals that say more than their code. */
export const refusals = {
  methodNotAllowed: (allow: string) => refusal('method_not_allowed', {}, { allow }),
  anotherSite: () => refusal('forbidden', { detail: 'Only pages of this site may change keys.' }),
  unauthenticated: () => refusal('unauthenticated', {}, { 'www-authenticate': CHALLENGE }),
  notJson: () => refusal('unsupported_media_type', {}, { accept: JSON_TYPE }),
  // RFC 5789 §2.2.
  notMergePatch: () => refusal('unsupported_media_type', {}, { 'accept-patch': PATCH_TYPES }),
  encoded: () => refusal('unsupported_media_type', {}, { 'accept-encoding': 'identity' }),
} as const
