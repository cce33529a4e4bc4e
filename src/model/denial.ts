import type { AuthenticatedKey } from './key.ts'
import type { LimiterPolicy } from './limiter.ts'
import { namesOf } from './names-of.ts'
import type { ScopeRequirement } from './requirement.ts'

/**
 * Why a request was refused. The first four reasons are given before anything about a key is known.
 *
 * - `missing`: there is no `Bearer` credential.
 * - `invalid_request`: the header is not one credential in the form of RFC 6750 §2.1.
 * - `malformed`: the credential does not look like a secret, or its checksum is wrong.
 * - `unknown`: no key has this secret.
 * - `revoked`: the key is revoked, or its overlap after a rotation is over.
 * - `expired`: the key has expired.
 * - `paused`: the key is paused.
 * - `plan_required`: the workspace's plan has no public API.
 * - `insufficient_scope`: the key lacks a scope that the request needs (RFC 6750 §3.1).
 * - `rate_limited`: the limiter allows no further call now (RFC 6585 §4).
 */
export type Denial<S extends string = string> =
  | {
      /** Always `false`. */
      readonly ok: false
      /** Why, when no key was found. */
      readonly reason: 'missing' | 'invalid_request' | 'malformed' | 'unknown'
    }
  | {
      /** Always `false`. */
      readonly ok: false
      /** Why, when no request with the key is accepted. */
      readonly reason: 'revoked' | 'expired' | 'paused' | 'plan_required'
      /** The id of the key. */
      readonly keyId: string
    }
  | {
      /** Always `false`. */
      readonly ok: false
      /** Why, when the key is good for other requests. */
      readonly reason: 'insufficient_scope'
      /** The id of the key. */
      readonly keyId: string
      /** The scopes that the request needs. */
      readonly requirement: ScopeRequirement<S>
    }
  | {
      /** Always `false`. */
      readonly ok: false
      /** Why, when the key has made too many calls. */
      readonly reason: 'rate_limited'
      /** The id of the key. */
      readonly keyId: string
      /**
       * In how many milliseconds a repeated request may be allowed; `Infinity` for one that never is.
       */
      readonly retryAfterMs: number
      /** What the limiter says of its policies. */
      readonly limits: readonly LimiterPolicy[]
    }

/** Every reason of a {@link Denial}. */
export type DenialReason = Denial['reason']

/** The reasons that say nothing about a key. */
export type AnonymousReason = Exclude<DenialReason, KeyDenialReason>

/** The reasons for which a request with a known key is refused. */
export type KeyDenialReason = Exclude<
  DenialReason,
  'missing' | 'invalid_request' | 'malformed' | 'unknown'
>

/** Every {@link KeyDenialReason}, in the order of the checks. */
export const KEY_DENIAL_REASONS = namesOf({
  revoked: true,
  expired: true,
  paused: true,
  plan_required: true,
  insufficient_scope: true,
  rate_limited: true,
} satisfies Record<KeyDenialReason, true>)

/** The reasons that name a key and nothing else. */
export type KeyReason = Exclude<KeyDenialReason, 'insufficient_scope' | 'rate_limited'>

/** The answer of `authenticate`: the key, or why not. */
export type Authentication<S extends string = string> =
  | {
      /** Always `true`; a {@link Denial} has `false`. */
      readonly ok: true
      /** The key, frozen. */
      readonly key: AuthenticatedKey<S>
      /** With a limiter: what it says of its policies. */
      readonly limits?: readonly LimiterPolicy[]
    }
  | Denial<S>

/** The answer to a request that a key opens. */
export type Accepted<S extends string> = Extract<Authentication<S>, { readonly ok: true }>
