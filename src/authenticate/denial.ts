import type { ApiKey } from '../api-key.ts'

/** Why a request was refused. The first four are told before anything about a key is known. */
export type Denial<S extends string = string> =
  | {
      readonly ok: false
      readonly reason: 'missing' | 'invalid_request' | 'malformed' | 'unknown'
    }
  | { readonly ok: false; readonly reason: 'revoked' | 'plan_required'; readonly keyId: string }
  | {
      readonly ok: false
      readonly reason: 'insufficient_scope'
      readonly keyId: string
      readonly scope: S
    }

/** Every reason of a {@link Denial}. */
export type DenialReason = Denial['reason']

/** The answer of `authenticate`: the key, or why not. */
export type Authentication<S extends string = string> =
  | { readonly ok: true; readonly key: ApiKey<S> }
  | Denial<S>

/** Denials that say nothing about a key are always the same object. */
export const ANONYMOUS_DENIAL = {
  missing: Object.freeze({ ok: false, reason: 'missing' }),
  invalid_request: Object.freeze({ ok: false, reason: 'invalid_request' }),
  malformed: Object.freeze({ ok: false, reason: 'malformed' }),
  unknown: Object.freeze({ ok: false, reason: 'unknown' }),
} as const
