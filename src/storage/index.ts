/**
 * The storage contract: what a storage keeps, what it is asked and what it answers. Hosts pass a
 * storage to `createApiKeys`; only authors of storages need these types. `miftah/testing` checks an implementation.
 *
 * @module miftah/storage
 */

export { ERASED_PERSON } from '../erasure/erased-person.ts'
export type { AuditEventRecord } from '../events/audit-event.ts'
export type { KeyDetails, KeyMetadata } from '../keys/api-key.ts'
export { countsAt, type Lifetime, statusAt } from '../keys/status.ts'
export { nextNoticeAt } from '../notices/notice.ts'
export { USAGE_OUTCOMES } from '../usage/outcome.ts'
export type {
  ChangeLog,
  LoggedChange,
  NodeBehind,
  NodeRegistration,
  Renewal,
  RenewalRequest,
} from './change-log.ts'
export type {
  ErasureOutcome,
  EventClaim,
  EventQuery,
  HourlyCount,
  InsertOutcome,
  KeyChange,
  KeyPage,
  KeyPageQuery,
  KeyRecord,
  KeyState,
  KeyStorage,
  KeyUsage,
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
  RevokeChange,
  RevokeOutcome,
  RotateChange,
  RotateOutcome,
  StaleOutcome,
  StorageCall,
  StoredKey,
  UpdateChange,
  UpdateOutcome,
  UsageBatch,
  UsageCounts,
  UsageHistoryBatch,
  UsageOutcome,
  UsageQuery,
  WorkspaceErasure,
} from './contract.ts'
export type { StorageDiagnosis, StorageMode, UnsettledEvents } from './diagnosis.ts'
export { NEW_KEY_STATE } from './record.ts'
