/**
 * The storage contract: what a storage keeps, what it is asked and what it answers. Hosts pass a
 * storage to `createApiKeys`; only authors of storages need these types. `miftah/testing` checks an implementation.
 *
 * @module miftah/storage
 */

export type { StorageCall } from '../lib/within-time.ts'
export type { AuditEventRecord } from '../model/audit-event.ts'
export { ERASED_PERSON } from '../model/erased-person.ts'
export type { KeyDetails, KeyMetadata } from '../model/key.ts'
export type { KeyRecord, KeyState, KeyUsage, StoredKey } from '../model/key-record.ts'
export { nextNoticeAt } from '../model/notice-time.ts'
export { countsAt, type Lifetime, statusAt } from '../model/status.ts'
export type { UsageOutcome } from '../model/usage-outcome.ts'
export { USAGE_OUTCOMES } from '../model/usage-outcome.ts'
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
  RevokeChange,
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
  StorageDiagnosis,
  StorageMode,
  UnsettledEvents,
} from './diagnosis.ts'
export { NEW_KEY_STATE } from './record.ts'
