/**
 * Background work on the audit log: a relay that delivers its events, webhooks, and notices of keys that are
 * about to end.
 *
 * @module miftah/events
 */

export type {
  AuditEventBase,
  ChangedFields,
  KeyCreatedEvent,
  KeyExpiredEvent,
  KeyExpiringEvent,
  KeyImportedEvent,
  KeyPausedEvent,
  KeyResumedEvent,
  KeyRetiredEvent,
  KeyRevokedEvent,
  KeyRotatedEvent,
  KeySnapshot,
  KeyUpdatedEvent,
} from '../model/audit-event.ts'
export { type EventRelay, type RelayOptions, relayEvents } from './relay-events.ts'
export { type StandardWebhook, toStandardWebhook } from './standard-webhook.ts'
export { type NoticeOptions, type NoticeWriter, writeNotices } from './write-notices.ts'
