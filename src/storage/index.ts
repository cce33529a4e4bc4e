/**
 * The storage contract: what a storage keeps, its queries and its answers. Hosts pass a storage to
 * `createApiKeys`; only authors of storages need these types. `miftah/testing` checks an implementation.
 *
 * @module miftah/storage
 */

export type { StorageCall } from '../lib/within-time.ts'
export type { AuditEventRecord } from '../model/audit-event.ts'
export {
  KEY_DENIAL_REASONS,
  outcomeCode,
  USAGE_OUTCOMES,
  type UsageOutcome,
} from '../model/denial.ts'
export {
  changedFields,
  type DataKind,
  type DataTypes,
  EVENT_TYPES,
  eventTypes,
  snapshotFields,
} from '../model/event-types.ts'
export type { KeyDetails, KeyMetadata } from '../model/key.ts'
export {
  type FieldKind,
  type FieldTypes,
  keyFields,
  NEW_KEY_STATE,
  usageFields,
} from '../model/key-fields.ts'
export type { KeyRecord, KeyUsage, ResourceIds } from '../model/key-record.ts'
export { ERASED_PERSON } from '../model/own-actors.ts'
export { REVOCATION_REASONS } from '../model/revocation-reason.ts'
export {
  countsAt,
  ENVIRONMENTS,
  KEY_STATUSES,
  type Lifetime,
  statusAt,
} from '../model/status.ts'
export type * from './change-log.ts'
export type * from './contract.ts'
export { matches, STORAGE_METHODS, type StorageMethod, UNCHANGED_CODES } from './methods.ts'
