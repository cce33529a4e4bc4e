/**
 * The storage contract: what a storage keeps, what it is asked and what it answers. Hosts pass a
 * storage to `createApiKeys`; only authors of storages need these types. `miftah/testing` checks an implementation.
 *
 * @module miftah/storage
 */

export type { AuditEventRecord } from '../events/audit-event.ts'
export type { KeyDetails, KeyMetadata } from '../keys/api-key.ts'
export { countsAt, type Lifetime, statusAt } from '../keys/status.ts'
export type {
  ChangeLog,
  LoggedChange,
  NodeBehind,
  NodeRegistration,
  Renewal,
  RenewalRequest,
} from './change-log.ts'
export type {
  EventClaim,
  EventQuery,
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
} from './contract.ts'
export { NEW_KEY_STATE } from './record.ts'
