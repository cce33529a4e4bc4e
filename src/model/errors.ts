import { recognizeAcrossCopies } from './across-copies.ts'
import type { ApiKey } from './key.ts'

/** One thing wrong with one field of an input. */
export interface InputIssue {
  /** Where: property names and array positions from the outside in; empty for the whole input. */
  readonly path: readonly (string | number)[]
  /** What is wrong; stable, for programs. */
  readonly code: InputIssueCode
  /** The rest of a sentence about the field, for people. It repeats no value but a network's. */
  readonly message: string
}

/**
 * What can be wrong with a field: it is missing or empty (`required`), of another type
 * (`invalid_type`), not one of the values allowed or not of their form (`invalid_value`), over its
 * length (`too_long`), has a character that hides or reorders text (`forbidden_character`), names a
 * scope outside the catalogue (`unknown_scope`) or something twice (`repeated`), is not a field at all
 * (`unknown_field`), is a number outside its bounds (`out_of_range`), or a network in another form than the
 * one in which it is stored (`not_canonical`; the message has that form).
 */
export type InputIssueCode =
  | 'required'
  | 'invalid_type'
  | 'invalid_value'
  | 'too_long'
  | 'forbidden_character'
  | 'unknown_scope'
  | 'repeated'
  | 'unknown_field'
  | 'out_of_range'
  | 'not_canonical'

/**
 * Every reason for which miftah refuses what the calling program asked.
 *
 * - `invalid_input`: fields are wrong; `issues` says which.
 * - `plan_required`: the workspace's plan has no public API.
 * - `active_key_limit_reached`: it allows no further active key.
 * - `key_revoked`: a revoked key cannot be changed.
 * - `key_expired`: an expired key cannot be changed, except by revoking it.
 * - `key_rotated`: the key has been replaced and cannot be changed, except by revoking it.
 * - `overlap_limit_reached`: the plan allows no further key that is being replaced.
 * - `stale`: the key has changed since the version that the update names.
 * - `conflict`: the key changed again and again meanwhile; nothing was done.
 * - `key_not_found`: the workspace has no such key.
 * - `usage_not_kept`: the option `usageHistory` is `false`.
 * - `workspace_erased`: the workspace was erased and gets no new keys.
 * - `unknown_scope`: the scope that a route checks is not in the catalogue.
 * - `closed`: `close` was called.
 */
export type ApiKeyErrorCode =
  | 'invalid_input'
  | 'plan_required'
  | 'active_key_limit_reached'
  | 'key_revoked'
  | 'key_expired'
  | 'key_rotated'
  | 'overlap_limit_reached'
  | 'stale'
  | 'conflict'
  | 'key_not_found'
  | 'usage_not_kept'
  | 'workspace_erased'
  | 'unknown_scope'
  | 'closed'

/** What an {@link ApiKeyError} can say beside its code. */
export interface ApiKeyErrorDetails {
  /** With `invalid_input`: every problem of the input. Default: none. */
  readonly issues?: readonly InputIssue[]
  /** With `active_key_limit_reached`: how many keys are active now. */
  readonly activeKeys?: number
  /** With `active_key_limit_reached`: how many the plan allows. */
  readonly activeKeyLimit?: number
  /** With `overlap_limit_reached`: how many keys are being replaced now. */
  readonly retiringKeys?: number
  /** With `key_rotated`: the id of the key that replaced this one. */
  readonly replacedBy?: string
  /** With `stale`: the key as it stands now. */
  readonly key?: ApiKey
  /** With `unknown_scope`: the scope, for the message. Default: not named. */
  readonly scope?: string
}

/**
 * Thrown when the calling program asks for something that cannot be done. `code` is stable;
 * `message` is for people. It carries no secret, no hash and none of the input; that of `unknown_scope`
 * names the scope that the program requires.
 *
 * @example
 * ```ts
 * import { ApiKeyError } from 'miftah'
 *
 * const error: unknown = new ApiKeyError('key_revoked')
 * if (error instanceof ApiKeyError && error.code === 'key_revoked') error.message //=> 'The key is revoked.'
 * ```
 */
export class ApiKeyError extends Error {
  /** Always `ApiKeyError`, also where a bundler has renamed the class. */
  override get name(): 'ApiKeyError' {
    return 'ApiKeyError'
  }
  /** Which reason it is; stable. */
  readonly code: ApiKeyErrorCode
  /** With `invalid_input`: every problem of the input. Otherwise empty. */
  readonly issues: readonly InputIssue[]
  /** With `active_key_limit_reached`: how many keys are active now. */
  readonly activeKeys: number | undefined
  /** With `active_key_limit_reached`: how many the plan allows. */
  readonly activeKeyLimit: number | undefined
  /** With `overlap_limit_reached`: how many keys are being replaced now. */
  readonly retiringKeys: number | undefined
  /** With `key_rotated`: the id of the key that replaced this one. */
  readonly replacedBy: string | undefined
  /** With `stale`: the key as it stands now. */
  readonly key: ApiKey | undefined

  /** Thrown by miftah itself; a test of your own may construct one. */
  constructor(code: ApiKeyErrorCode, details: ApiKeyErrorDetails = {}) {
    super(describe(code, details))
    this.code = code
    this.issues = Object.freeze([...(details.issues ?? [])])
    this.activeKeys = details.activeKeys
    this.activeKeyLimit = details.activeKeyLimit
    this.retiringKeys = details.retiringKeys
    this.replacedBy = details.replacedBy
    this.key = details.key
  }
}

recognizeAcrossCopies(ApiKeyError, 'ApiKeyError')

/**
 * Thrown when something miftah depends on failed or answered something invalid: the storage, a
 * function of the host such as `entitlements`, or its clock. It is an outage, never a verdict about a key. `cause`
 * is the failure itself, for a storage of this package often a `StorageError`.
 *
 * @example
 * ```ts
 * import { OutageError } from 'miftah'
 *
 * const outage = new OutageError('findByHash', new Error('connection refused'))
 * outage.message //=> 'The key storage failed in findByHash.'
 * ```
 */
export class OutageError extends Error {
  /** Always `OutageError`, also where a bundler has renamed the class. */
  override get name(): 'OutageError' {
    return 'OutageError'
  }
  /**
   * The storage method that failed, or `entitlements`, `limiter`, `formats`, `adopt`, `adoptQueue` or
   * `now`.
   */
  readonly operation: string

  /** Thrown by miftah itself; a test of your own may construct one. */
  constructor(operation: string, cause: unknown) {
    super(`${FAILED[operation] ?? `The key storage failed in ${operation}`}.`, { cause })
    this.operation = operation
  }
}

recognizeAcrossCopies(OutageError, 'OutageError')

/** What can fail beside the storage, by the operation that an {@link OutageError} names. */
const FAILED: Readonly<Record<string, string>> = {
  entitlements: 'The entitlements function failed',
  limiter: 'The rate limiter failed',
  formats: 'A function of a format failed',
  adopt: 'The adopt function failed',
  adoptQueue: 'Too many requests wait for adopt',
  now: 'The clock failed',
}

const MESSAGES: Readonly<Record<ApiKeyErrorCode, string>> = {
  invalid_input: 'The input is not valid',
  plan_required: 'The plan of the workspace does not include the public API.',
  active_key_limit_reached: 'The workspace has reached its active-key limit',
  key_revoked: 'The key is revoked.',
  key_expired: 'The key has expired.',
  key_rotated: 'The key has been replaced.',
  overlap_limit_reached: 'The workspace has too many keys that are being replaced.',
  stale: 'The key has changed since the given version.',
  conflict: 'The key kept changing, so nothing was done.',
  key_not_found: 'There is no such key in this workspace.',
  usage_not_kept: 'Usage history is turned off.',
  workspace_erased: 'The workspace has been erased.',
  unknown_scope: 'The required scope is not in the scope catalogue',
  closed: 'close() was called; no further calls are accepted.',
}

function describe(code: ApiKeyErrorCode, details: ApiKeyErrorDetails): string {
  if (code === 'invalid_input') return `${MESSAGES[code]}: ${summary(details.issues ?? [])}`
  if (code === 'active_key_limit_reached') {
    return `${MESSAGES[code]} (${details.activeKeys} of ${details.activeKeyLimit}).`
  }
  if (code === 'unknown_scope') {
    return `${MESSAGES[code]}${details.scope === undefined ? '' : `: "${details.scope}"`}.`
  }
  return MESSAGES[code]
}

function summary(issues: readonly InputIssue[]): string {
  return issues.map(({ path, message }) => `${path.join('.') || 'input'}: ${message}`).join(' ')
}
