import { recognizeAcrossCopies } from './across-copies.ts'
import { errorCodes } from './error-codes.ts'
import type { MissingGrant } from './grant.ts'
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
 * What can be wrong with a field: it is missing or empty (`required`), of another type (`invalid_type`), not
 * one of the values allowed or not of their form (`invalid_value`), over its length (`too_long`), has a
 * character that hides or reorders text (`forbidden_character`), names a scope outside the catalogue
 * (`unknown_scope`) or something twice (`repeated`), is not a field at all (`unknown_field`), is a number
 * outside its bounds (`out_of_range`), or a network in another form than the one in which it is stored
 * (`not_canonical`; the message has that form).
 */
export type InputIssueCode = keyof typeof issueCodes

/** Every {@link InputIssueCode}. @internal */
export const issueCodes = {
  required: true,
  invalid_type: true,
  invalid_value: true,
  too_long: true,
  forbidden_character: true,
  unknown_scope: true,
  repeated: true,
  unknown_field: true,
  out_of_range: true,
  not_canonical: true,
} as const

/**
 * Every reason for which miftah refuses a call of the program.
 *
 * - `invalid_input`: fields are wrong; `issues` says which.
 * - `plan_required`: the workspace's plan has no public API.
 * - `not_grantable`: the key would have more than the caller may give; `missing` says what.
 * - `active_key_limit_reached`: it allows no further active key.
 * - `key_revoked`: a revoked key cannot be changed.
 * - `key_expired`: an expired key cannot be changed, except by revoking it.
 * - `key_rotated`: the key has been replaced and cannot be changed, except by revoking it.
 * - `overlap_limit_reached`: the plan allows no further key that is being replaced.
 * - `stale`: the key has changed since the version that the update names.
 * - `key_not_found`: the workspace has no such key.
 * - `usage_not_kept`: the option `usageHistory` is `false`.
 * - `workspace_erased`: the workspace was erased and gets no new keys.
 * - `unknown_scope`: the scope that a route checks is not in the catalogue.
 * - `closed`: `close` was called.
 */
export type ApiKeyErrorCode = keyof typeof errorCodes

/** What an {@link ApiKeyError} says beside its code, and the scope that its message names. */
type Details = Partial<Omit<ApiKeyError, keyof Error | 'code'>> & { readonly scope?: string }

/**
 * Thrown when the calling program asks for something that cannot be done. `code` is stable; `message` is for
 * people. It carries no secret, no hash and none of the input; that of `unknown_scope` names the scope that
 * the program requires.
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
  /** With `not_grantable`: what exceeds the grant. */
  readonly missing: MissingGrant | undefined

  /** Thrown by miftah itself; a test of your own may construct one. */
  constructor(code: ApiKeyErrorCode, details: Details = {}) {
    super(describe(code, details))
    this.code = code
    this.issues = Object.freeze([...(details.issues ?? [])])
    this.activeKeys = details.activeKeys
    this.activeKeyLimit = details.activeKeyLimit
    this.retiringKeys = details.retiringKeys
    this.replacedBy = details.replacedBy
    this.key = details.key
    this.missing = details.missing
  }
}

recognizeAcrossCopies(ApiKeyError, 'ApiKeyError')

/**
 * Thrown when something miftah depends on failed or answered something invalid: the storage, a function of
 * the host such as `entitlements`, or its clock. It is an outage, never a verdict about a key. `cause` is the
 * failure itself, for a storage of this package often a `StorageError`.
 */
export class OutageError extends Error {
  /** Always `OutageError`, also where a bundler has renamed the class. */
  override get name(): 'OutageError' {
    return 'OutageError'
  }
  /** The storage method that failed, or `entitlements`, `resource`, `clientAddress`, `limiter`, `formats` or `now`. */
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
  resource: 'The function "resource" of a guard failed',
  clientAddress: 'The function "clientAddress" of a guard failed',
  isSecure: 'The function "isSecure" of a guard failed',
  onDenied: 'The onDenied function failed',
  guard: 'A guard failed',
  lease: 'The cache forgot its keys',
  limiter: 'The rate limiter failed',
  formats: 'A function of a format failed',
  now: 'The clock failed',
}

function describe(code: ApiKeyErrorCode, details: Details): string {
  const { message } = errorCodes[code]
  const start = message.slice(0, -1)
  if (code === 'invalid_input') return `${start}: ${summary(details.issues ?? [])}`
  if (code === 'active_key_limit_reached') {
    return `${start} (${details.activeKeys} of ${details.activeKeyLimit}).`
  }
  if (code === 'unknown_scope' && details.scope !== undefined) {
    return `${start}: "${details.scope}".`
  }
  return message
}

function summary(issues: readonly InputIssue[]): string {
  return issues.map(({ path, message }) => `${path.join('.') || 'input'}: ${message}`).join(' ')
}
