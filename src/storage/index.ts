/**
 * The storage contract: what a storage keeps, its queries and its answers. Hosts pass a
 * storage to `createApiKeys`; only authors of storages need these types. `miftah/testing` checks an implementation.
 *
 * @module miftah/storage
 */

export type { StorageCall } from '../lib/within-time.ts'
export type { AuditEventRecord } from '../model/audit-event.ts'
export { KEY_DENIAL_REASONS } from '../model/denial.ts'
export { ENVIRONMENTS } from '../model/environment.ts'
export { ERASED_PERSON } from '../model/erased-person.ts'
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
  type KeyState,
  keyFields,
  NEW_KEY_STATE,
  STATE_FIELDS,
  stateOf,
  usageFields,
} from '../model/key-fields.ts'
export type { KeyRecord, KeyUsage, ResourceIds, StoredKey } from '../model/key-record.ts'
export { nextNoticeAt } from '../model/notice-time.ts'
export { REVOCATION_REASONS } from '../model/revocation-reason.ts'
export { countsAt, KEY_STATUSES, type Lifetime, statusAt } from '../model/status.ts'
export type { UsageOutcome } from '../model/usage-outcome.ts'
export { outcomeCode, USAGE_OUTCOMES } from '../model/usage-outcome.ts'
export type {
  ChangeLog,
  LaggingNode,
  LoggedChange,
  NodeCount,
  NodeRegistration,
  Renewal,
  RenewalRequest,
} from './change-log.ts'
export type {
  ErasureOutcome,
  EventClaim,
  EventQuery,
  ExpiredOutcome,
  HourlyCount,
  InsertOutcome,
  KeyChange,
  KeyPage,
  KeyPageQuery,
  KeyStorage,
  KeyUses,
  LoggedOutcome,
  NotFoundOutcome,
  Notice,
  NoticeDue,
  NoticeQuery,
  PeriodCount,
  PeriodRange,
  PersonErasure,
  Purge,
  ResourceFilter,
  RevokeChange,
  RevokeManyChange,
  RevokeManyOutcome,
  RevokeOutcome,
  RotateChange,
  RotateOutcome,
  StaleOutcome,
  UpdateChange,
  UpdateOutcome,
  UsageBatch,
  UsageCounts,
  UsageHistoryBatch,
  UsageQuery,
  WorkspaceErasure,
} from './contract.ts'
export type {
  ActiveKeyCounts,
  PendingEvents,
  StorageDiagnosis,
  StorageMode,
} from './diagnosis.ts'
export { STORAGE_VERBS, type StorageVerb } from './verbs.ts'
