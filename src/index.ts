export type { ApiKey, Environment, KeyStatus, Person } from './api-key.ts'
export type {
  AuditEvent,
  AuditEventBase,
  AuditEventRecord,
  KeyCreatedEvent,
  KeyRevokedEvent,
  KeyRotatedEvent,
  KeySnapshot,
} from './events/audit-event.ts'
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
} from './storage/contract.ts'
