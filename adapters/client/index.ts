export type {
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
