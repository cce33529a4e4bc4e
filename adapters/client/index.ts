/**
 * A typed client of the management routes over `fetch`, for a settings page of your own. It needs no
 * server module and runs in browsers and wherever else there is `fetch`.
 *
 * @module miftah/client
 */

export type {
  CallOptions,
  ManagementClient,
  ManagementClientOptions,
  ReadOptions,
} from './management-client.ts'
export { createManagementClient } from './management-client.ts'
export type { ManagementErrorCode, ManagementErrorDetails } from './management-error.ts'
export { ManagementError } from './management-error.ts'
export type {
  CreateKeyBody,
  IssuedKeyAnswer,
  KeyListAnswer,
  ListQuery,
  OnWire,
  RotatedKeyAnswer,
  ScopesAnswer,
  WireIssue,
  WireKey,
  WireLabel,
  WireScopeGroup,
} from './wire.ts'
