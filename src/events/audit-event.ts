import type { Environment, Person } from '../api-key.ts'

/** What every audit event says, whatever happened. */
export interface AuditEventBase {
  /** `evt_` and 21 characters. */
  readonly id: string
  /** When it happened. */
  readonly at: Date
  readonly workspaceId: string
  readonly actor: Person
  /** The key that was created, rotated or revoked. */
  readonly keyId: string
}

/** What the key of an event was. */
export interface KeySnapshot {
  readonly name: string
  readonly environment: Environment
  readonly scopes: readonly string[]
  readonly prefix: string
}

/** A key was created. */
export interface KeyCreatedEvent extends AuditEventBase {
  readonly type: 'api_key.created'
  readonly data: KeySnapshot
}

/** A key was revoked and its replacement issued, in one step. `data` describes the replaced key. */
export interface KeyRotatedEvent extends AuditEventBase {
  readonly type: 'api_key.rotated'
  readonly data: KeySnapshot & {
    readonly replacementId: string
    readonly replacementPrefix: string
  }
}

/** A key was revoked. */
export interface KeyRevokedEvent extends AuditEventBase {
  readonly type: 'api_key.revoked'
  readonly data: KeySnapshot
}

/** One entry of the audit log, stored in the same transaction as the change it records. */
export type AuditEvent = KeyCreatedEvent | KeyRotatedEvent | KeyRevokedEvent

type Stored<E extends AuditEvent> = E extends AuditEvent
  ? Omit<E, 'at'> & { readonly atMs: number }
  : never

/** An audit event as a storage keeps it: `atMs`, milliseconds since the epoch (UTC), for `at`. */
export type AuditEventRecord = Stored<AuditEvent>
