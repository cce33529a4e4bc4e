import { Refusal } from '../management/refusal.ts'

/** The refusals of deliveries. None repeats a piece of the request. */
export const refusals = {
  methodNotAllowed: () =>
    new Refusal(
      405,
      { code: 'method_not_allowed', detail: 'Alerts are sent with POST.' },
      { allow: 'POST' },
    ),

  /** The same for headers that are missing, a key that is unknown and a signature that is wrong. */
  badSignature: () =>
    new Refusal(403, { code: 'bad_signature', detail: 'The alerts are not signed by GitHub.' }),

  tooLarge: () =>
    new Refusal(413, { code: 'too_large', detail: 'The body may have at most 1 MiB.' }),

  badBody: () => new Refusal(400, { code: 'bad_request', detail: 'The body is not JSON.' }),

  notAlerts: () =>
    new Refusal(422, { code: 'invalid_input', detail: 'The body is not a list of alerts.' }),

  keysUnavailable: () =>
    new Refusal(
      503,
      { code: 'keys_unavailable', detail: 'The signature cannot be checked right now.' },
      { 'retry-after': '60' },
    ),
} as const
