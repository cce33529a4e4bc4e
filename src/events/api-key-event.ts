import type { DenialReason } from '../authenticate/denial.ts'
import type { AuditEvent, AuditEventRecord } from './audit-event.ts'

/** A request was refused. It names the key only where a key was found. */
export interface DeniedEvent<S extends string = string> {
  readonly type: 'authentication.denied'
  readonly at: Date
  readonly reason: DenialReason
  readonly requiredScope: S | null
  readonly keyId: string | null
  readonly workspaceId: string | null
}

/** The storage or the entitlements function failed. */
export interface FaultEvent {
  readonly type: 'storage.fault'
  readonly at: Date
  /** The storage verb that failed, or `entitlements`. */
  readonly operation: string
  readonly error: unknown
}

/** What `onEvent` is told: changes to keys, refused requests and faults; never a secret. */
export type ApiKeyEvent<S extends string = string> = AuditEvent | DeniedEvent<S> | FaultEvent

/** The public form of a stored event. */
export function toAuditEvent({ atMs, ...event }: AuditEventRecord): AuditEvent {
  return Object.freeze({ ...event, at: new Date(atMs) })
}
