import { type HttpAnswer, problem } from '../../../../src/http/index.ts'
import { Refusal } from '../management/refusal.ts'

function refusal(
  status: number,
  details: { readonly code: string; readonly detail: string },
  headers?: HttpAnswer['headers'],
): Refusal {
  return new Refusal(problem(status, details, headers))
}

/** The refusals of deliveries. None repeats any part of the request. */
export const refusals = {
  methodNotAllowed: () =>
    refusal(
      405,
      { code: 'method_not_allowed', detail: 'Alerts are sent with POST.' },
      { allow: 'POST' },
    ),

  /** The same for missing headers, an unknown key and a wrong signature. */
  badSignature: () =>
    refusal(403, { code: 'bad_signature', detail: 'The alerts are not signed by GitHub.' }),

  tooLarge: () => refusal(413, { code: 'too_large', detail: 'The body may have at most 1 MiB.' }),

  badBody: () => refusal(400, { code: 'bad_request', detail: 'The body is not JSON.' }),

  notAlerts: () =>
    refusal(422, { code: 'invalid_input', detail: 'The body is not a list of alerts.' }),

  keysUnavailable: () =>
    refusal(
      503,
      { code: 'keys_unavailable', detail: 'The signature cannot be checked right now.' },
      { 'retry-after': '60' },
    ),
} as const
