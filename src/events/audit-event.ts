import type { Environment, Person } from '../keys/api-key.ts'

/** What every audit event says, whatever happened. */
export interface AuditEventBase {
  /** `evt_` and 21 characters. */
  readonly id: string
  /** When it happened. */
  readonly at: Date
  /** The workspace of the key. */
  readonly workspaceId: string
  /** Who created, rotated or revoked the key. */
  readonly actor: Person
  /** The key that was created, rotated or revoked. */
  readonly keyId: string
}

/** What the key of an event was like at the time. */
export interface KeySnapshot {
  /** The name of the key. */
  readonly name: string
  /** The environment of the key. */
  readonly environment: Environment
  /** The scopes that the key was stored with; the catalogue may have lost some since. */
  readonly scopes: readonly string[]
  /** The first 12 characters of the secret. */
  readonly prefix: string
}

/** A key was created. */
export interface KeyCreatedEvent extends AuditEventBase {
  /** Tells this event from the others. */
  readonly type: 'api_key.created'
  /** The new key. */
  readonly data: KeySnapshot
}

/** A key was revoked and its replacement issued, in one step. */
export interface KeyRotatedEvent extends AuditEventBase {
  /** Tells this event from the others. */
  readonly type: 'api_key.rotated'
  /** The replaced key, and which key took its place. */
  readonly data: KeySnapshot & {
    /** The id of the new key. */
    readonly replacementId: string
    /** The first 12 characters of its secret. */
    readonly replacementPrefix: string
  }
}

/** A key was revoked. */
export interface KeyRevokedEvent extends AuditEventBase {
  /** Tells this event from the others. */
  readonly type: 'api_key.revoked'
  /** The revoked key. */
  readonly data: KeySnapshot
}

/** One entry of the audit log, stored in the same transaction as the change it records. */
export type AuditEvent = KeyCreatedEvent | KeyRotatedEvent | KeyRevokedEvent

type Stored<E extends AuditEvent> = E extends AuditEvent
  ? Omit<E, 'at'> & { readonly atMs: number }
  : never

/** An audit event as a storage keeps it: `atMs`, milliseconds since the epoch (UTC), for `at`. */
export type AuditEventRecord = Stored<AuditEvent>
