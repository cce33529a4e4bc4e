import type { Environment, KeyNetworks, Person } from './key.ts'
import type { ResourceIds } from './key-record.ts'
import type { RevocationReason } from './revocation-reason.ts'

/** What every audit event says, whatever happened. */
export interface AuditEventBase {
  /** `evt_` and 21 characters. */
  readonly id: string
  /** When it happened. */
  readonly at: Date
  /** The workspace of the key. */
  readonly workspaceId: string
  /** Who changed the key; `miftah:system` where it ends by itself. */
  readonly actor: Person
  /** The key that the event is about. */
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
  /** The first 12 characters of the secret, or by what an imported key is recognised. */
  readonly prefix: string
}

/** A key was created. */
export interface KeyCreatedEvent extends AuditEventBase {
  /** Tells this event from the others. */
  readonly type: 'api_key.created'
  /** The new key. */
  readonly data: KeySnapshot
}

/** A key that another system issued was stored. */
export interface KeyImportedEvent extends AuditEventBase {
  /** Tells this event from the others. */
  readonly type: 'api_key.imported'
  /** The key. */
  readonly data: KeySnapshot & {
    /** The id of its format. */
    readonly format: string
  }
}

/** A key was given a replacement, in one step. */
export interface KeyRotatedEvent extends AuditEventBase {
  /** Tells this event from the others. */
  readonly type: 'api_key.rotated'
  /** The replaced key, and which key took its place. */
  readonly data: KeySnapshot & {
    /** The id of the new key. */
    readonly replacementId: string
    /** The first 12 characters of its secret. */
    readonly replacementPrefix: string
    /** Its scopes: those of the old key that the catalogue still had. */
    readonly replacementScopes: readonly string[]
    /** When the old key stops, in ISO 8601 and UTC; `null` when it stopped at once. */
    readonly overlapEndsAt: string | null
  }
}

/** The fields of a key that an update has changed. */
export interface ChangedFields {
  /** Its name. */
  readonly name?: string
  /** All its scopes. */
  readonly scopes?: readonly string[]
  /** When it expires, in ISO 8601 and UTC; `null` for never. */
  readonly expiresAt?: string | null
  /** Its note; `null` for none. */
  readonly note?: string | null
  /** The ids that it reaches, for each type of resource in which it is restricted. */
  readonly resources?: ResourceIds
  /** Where it may be used from. */
  readonly networks?: KeyNetworks
  /** The names of the metadata entries that changed, never their values. */
  readonly metadata?: readonly string[]
}

/** A key was given another name, other scopes, another expiry or other restrictions. */
export interface KeyUpdatedEvent extends AuditEventBase {
  /** Tells this event from the others. */
  readonly type: 'api_key.updated'
  /** The key after the update, and what has changed. */
  readonly data: KeySnapshot & {
    /** The changed fields as they were. */
    readonly before: ChangedFields
    /** The changed fields as they are. */
    readonly after: ChangedFields
  }
}

/** A key was paused. */
export interface KeyPausedEvent extends AuditEventBase {
  /** Tells this event from the others. */
  readonly type: 'api_key.paused'
  /** The paused key. */
  readonly data: KeySnapshot
}

/** A paused key was resumed. */
export interface KeyResumedEvent extends AuditEventBase {
  /** Tells this event from the others. */
  readonly type: 'api_key.resumed'
  /** The resumed key. */
  readonly data: KeySnapshot
}

/** A key was revoked. */
export interface KeyRevokedEvent extends AuditEventBase {
  /** Tells this event from the others. */
  readonly type: 'api_key.revoked'
  /** The revoked key. */
  readonly data: KeySnapshot & {
    /** Whether the key was being replaced, and its overlap ended early. */
    readonly endedOverlap: boolean
    /** Why, or `null` where nobody said. */
    readonly reason: RevocationReason | null
  }
}

/** A key expires in 7 days or in 1 day, if its expiry is not moved. */
export interface KeyExpiringEvent extends AuditEventBase {
  /** Tells this event from the others. */
  readonly type: 'api_key.expiring'
  /** The key. */
  readonly data: KeySnapshot & {
    /** When it expires, in ISO 8601 and UTC. */
    readonly expiresAt: string
  }
}

/** A key has expired. */
export interface KeyExpiredEvent extends AuditEventBase {
  /** Tells this event from the others. */
  readonly type: 'api_key.expired'
  /** The expired key. */
  readonly data: KeySnapshot & {
    /** When it expired, in ISO 8601 and UTC. */
    readonly expiresAt: string
  }
}

/** The overlap after a rotation is over, and the old key has stopped. */
export interface KeyRetiredEvent extends AuditEventBase {
  /** Tells this event from the others. */
  readonly type: 'api_key.retired'
  /** The key that has stopped. */
  readonly data: KeySnapshot & {
    /** The id of the key that took its place. */
    readonly replacementId: string
    /** When it stopped, in ISO 8601 and UTC. */
    readonly overlapEndsAt: string
  }
}

/** One entry of the audit log, stored in the same transaction as the change it records. */
export type AuditEvent =
  | KeyCreatedEvent
  | KeyImportedEvent
  | KeyUpdatedEvent
  | KeyPausedEvent
  | KeyResumedEvent
  | KeyRotatedEvent
  | KeyRevokedEvent
  | KeyExpiringEvent
  | KeyExpiredEvent
  | KeyRetiredEvent

type Stored<E extends AuditEvent> = E extends AuditEvent
  ? Omit<E, 'at'> & { readonly atMs: number }
  : never

/** An audit event as a storage keeps it: `atMs`, milliseconds since the epoch (UTC), for `at`. */
export type AuditEventRecord = Stored<AuditEvent>
