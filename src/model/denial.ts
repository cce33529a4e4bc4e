import { namesOf } from '../lib/values.ts'
import type { AuthenticatedKey } from './key.ts'
import type { LimiterPolicy } from './limiter.ts'

/**
 * Why a request was refused. The first five reasons are given before anything about a key is known.
 *
 * - `cleartext`: it came over plain HTTP, and the guard refuses that; never from `authenticate`.
 * - `missing`: there is no `Bearer` credential.
 * - `invalid_request`: the header is not one credential in the form of RFC 6750 §2.1.
 * - `malformed`: the credential does not look like a secret, or its checksum is wrong.
 * - `unknown`: no key has this secret.
 * - `revoked`: the key is revoked, or its overlap after a rotation is over.
 * - `expired`: the key has expired.
 * - `paused`: the key is paused.
 * - `network_not_allowed`: the request does not come from one of the key's networks.
 * - `plan_required`: the workspace's plan has no public API.
 * - `insufficient_scope`: the key lacks a scope that the request needs (RFC 6750 §3.1).
 * - `resource_not_allowed`: the key does not reach a resource that the request touches.
 * - `rate_limited`: the limiter allows no further call now (RFC 6585 §4).
 */
export type Denial<S extends string = string> =
  | {
      /** Always `false`. */
      readonly ok: false
      /** Why, when no key was found. */
      readonly reason: AnonymousReason
    }
  | {
      /** Always `false`. */
      readonly ok: false
      /** Why, when the key is known. */
      readonly reason: KeyReason
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
      readonly requirement: NonNullable<Requirement<S>>
    }
  | {
      /** Always `false`. */
      readonly ok: false
      /** Why, when the key has made too many calls. */
      readonly reason: 'rate_limited'
      /** The id of the key. */
      readonly keyId: string
      /** In how many milliseconds a repeated request may be allowed; `Infinity` for one that never is. */
      readonly retryAfterMs: number
      /** What the limiter says of its policies. */
      readonly limits: readonly LimiterPolicy[]
    }

/** Every reason of a {@link Denial}. */
export type DenialReason = Denial['reason']

/** The reasons that say nothing about a key. */
export type AnonymousReason = 'cleartext' | 'missing' | 'invalid_request' | 'malformed' | 'unknown'

/** The reasons that say no more than which key it was. */
export type KeyReason =
  | 'revoked'
  | 'expired'
  | 'paused'
  | 'network_not_allowed'
  | 'plan_required'
  | 'resource_not_allowed'

/** The reasons for which a request with a known key is refused. */
export type KeyDenialReason = Exclude<DenialReason, AnonymousReason>

interface ReasonSpec<Reason extends DenialReason> {
  /** The status of the answer (RFC 9110 §15). */
  readonly status: number
  /** The `code` of its body. */
  readonly code: string
  /** What its challenges say beside the realm (RFC 6750 §3); `null` where another key would not help. */
  readonly challenge: string | null
  /** The number under which databases count refusals with a known key; `null` where none is known. */
  readonly stored: Reason extends KeyDenialReason ? number : null
}

/** Keys that do not exist or must not be known to have existed get the same bytes. */
const INVALID = {
  status: 401,
  code: 'invalid_token',
  challenge: ', error="invalid_token"',
} as const

const REQUEST = ', error="invalid_request"'
const EXPIRED = ', error="invalid_token", error_description="The API key has expired"'
const SCOPE = ', error="insufficient_scope"'

/** Every reason, in the order of the checks. A stored number is for ever. */
export const denialReasons = {
  // Before the key is looked at. Neither a challenge nor a redirect: either asks for a key again.
  cleartext: { status: 403, code: 'https_required', challenge: null, stored: null },
  // RFC 6750 §3.1: a request without credentials gets no error code.
  missing: { status: 401, code: 'missing', challenge: '', stored: null },
  invalid_request: { status: 400, code: 'invalid_request', challenge: REQUEST, stored: null },
  malformed: { ...INVALID, stored: null },
  unknown: { ...INVALID, stored: null },
  revoked: { ...INVALID, stored: 1 },
  // Its secret was proved, and another one helps.
  expired: { status: 401, code: 'key_expired', challenge: EXPIRED, stored: 2 },
  paused: { ...INVALID, stored: 3 },
  // Says nothing of the networks, nor whether the scope would do.
  network_not_allowed: { status: 403, code: 'network_not_allowed', challenge: '', stored: 4 },
  plan_required: { status: 403, code: 'plan_required', challenge: null, stored: 5 },
  insufficient_scope: { status: 403, code: 'insufficient_scope', challenge: SCOPE, stored: 6 },
  // RFC 6750 §3.1: without `scope`, since no other scope would help.
  resource_not_allowed: { status: 403, code: 'resource_not_allowed', challenge: SCOPE, stored: 7 },
  // RFC 6585 §4.
  rate_limited: { status: 429, code: 'rate_limited', challenge: null, stored: 8 },
} as const satisfies { readonly [Reason in DenialReason]: ReasonSpec<Reason> }

/** Every {@link KeyDenialReason}, in the order of the checks. */
export const KEY_DENIAL_REASONS = namesOf(denialReasons).filter(
  (reason): reason is KeyDenialReason => denialReasons[reason].stored !== null,
)

/** The outcome of a request with a known key: it was accepted, or why it was refused. */
export type UsageOutcome = 'accepted' | KeyDenialReason

/** Every {@link UsageOutcome}. */
export const USAGE_OUTCOMES: readonly UsageOutcome[] = ['accepted', ...KEY_DENIAL_REASONS]

/** The number that a database keeps for an outcome: it takes an eighth of the space of its name. */
export function outcomeCode(outcome: UsageOutcome): number {
  return outcome === 'accepted' ? 0 : denialReasons[outcome].stored
}

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

export type Accepted<S extends string> = Extract<Authentication<S>, { readonly ok: true }>

/**
 * What a request needs of its key: one scope, one of several or all of several, or `null` for any valid key.
 * There are no wildcards.
 */
export type Requirement<S extends string = string> =
  | S
  | {
      /** 2 to 16 scopes, of which the key must hold one. */
      readonly anyOf: readonly [S, S, ...S[]]
    }
  | {
      /** 2 to 16 scopes, all of which the key must hold. */
      readonly allOf: readonly [S, S, ...S[]]
    }
  | null

/** The scopes that a request needs. */
export type ScopeRequirement<S extends string = string> = NonNullable<Requirement<S>>
