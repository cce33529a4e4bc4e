/**
 * The storage contract: what a storage keeps, what it is asked and what it answers. Hosts pass a
 * storage to `createApiKeys`; only those who write one need these types. `miftah/testing` proves it.
 *
 * @module miftah/storage
 */

export type { AuditEventRecord } from '../events/audit-event.ts'
export type {
  EventClaim,
  EventQuery,
  InsertOutcome,
  KeyPage,
  KeyPageQuery,
  KeyRecord,
  KeyStorage,
  KeyUses,
  RevokeChange,
  RevokeOutcome,
  RotateChange,
  RotateOutcome,
  UsageBatch,
} from './contract.ts'
