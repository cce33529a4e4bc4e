/**
 * Creates keys, stores their records in the given storage, and authenticates every request. It depends on no
 * framework, driver or DOM; other entry points add those.
 *
 * @module miftah
 */

export { type ApiKeys, createApiKeys } from './api-keys.ts'
export type { AuthenticateOptions } from './authenticate/access-check.ts'
export type { ApiKeyEvent, DeniedEvent, FaultEvent } from './events/api-key-event.ts'
export type { IssuedKey } from './keys/create-key.ts'
export type { UsageHistory } from './keys/key-usage.ts'
export type { EventList } from './keys/list-events.ts'
export type { KeyList } from './keys/list-keys.ts'
export type { AuditEvent } from './model/audit-event.ts'
export type {
  Authentication,
  Denial,
  DenialReason,
  KeyDenialReason,
  Requirement,
} from './model/denial.ts'
export {
  ApiKeyError,
  type ApiKeyErrorCode,
  type InputIssue,
  type InputIssueCode,
  OutageError,
} from './model/errors.ts'
export type { Grantable, MissingGrant } from './model/grant.ts'
export type {
  ApiKey,
  AuthenticatedKey,
  Environment,
  KeyMetadata,
  KeyNetworks,
  KeyResources,
  KeyStatus,
  Person,
} from './model/key.ts'
export type { Limiter, RateLimit } from './model/limiter.ts'
export type { ImportKey } from './model/new-key.ts'
export { ERASED_PERSON } from './model/own-actors.ts'
export type { RevocationReason } from './model/revocation-reason.ts'
export type { ApiKeysOptions } from './options.ts'
export { type Entitlements, plans } from './plans/entitlements.ts'
export { defineResources, type ResourceTypes } from './restrictions/resource-types.ts'
export type { Labels } from './scopes/catalogue.ts'
export { defineScopes, pickScopes, type ScopeCatalogue, type ScopeOf } from './scopes/catalogue.ts'
export { type DefaultScope, defaultCatalogue } from './scopes/default-catalogue.ts'
export type { KeyFormat } from './secret/key-format.ts'
