/**
 * A typed client of the management routes over `fetch`, for a settings page of your own. It needs no
 * server module and runs in browsers and wherever else there is `fetch`.
 *
 * @module miftah/client
 */

export type {
  IssuedKeyAnswer,
  KeyListAnswer,
  NamedResource,
  ResourcesAnswer,
  RevokedKeysAnswer,
  RotatedKeyAnswer,
  ScopesAnswer,
  UsageAnswer,
  WireLabel,
  WireResourceType,
  WireScopeGroup,
  WireUsageBucket,
} from '../http/lib/management/wire/answers.ts'
export type { KeyEventsAnswer, WireKeyEvent } from '../http/lib/management/wire/events.ts'
export type { OnWire, WireKey } from '../http/lib/management/wire/key.ts'
export type { KeyOperation } from '../http/lib/management/wire/key-operations.ts'
export type { WireIssue } from '../http/lib/management/wire/problems.ts'
export type {
  CreateKeyBody,
  ListQuery,
  RevokeKeyBody,
  RevokeKeysBody,
  RotateKeyBody,
  UpdateKeyBody,
  WireEventsQuery,
  WireResourceQuery,
  WireUsageQuery,
} from '../http/lib/management/wire/requests.ts'
export * from './management-client.ts'
export * from './management-error.ts'
