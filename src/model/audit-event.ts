import type { Environment, KeyNetworks, Person } from './key.ts'
import type { ResourceIds } from './key-record.ts'
import type { RevocationReason } from './revocation-reason.ts'

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

/** What every audit event says. `Data` is what an event of one type says beside the snapshot of its key. */
export interface AuditEventBase<Type extends string = string, Data extends object = object> {
  /** `evt_` and 21 characters. */
  readonly id: string
  /** Tells this event from the others. */
  readonly type: Type
  /** When it happened. */
  readonly at: Date
  /** The workspace of the key. */
  readonly workspaceId: string
  /** Who changed the key; `miftah:system` where it ends by itself. */
  readonly actor: Person
  /** The key that the event is about. */
  readonly keyId: string
  /** The key as it was, after an update as it is, and what the event says beside. */
  readonly data: KeySnapshot & Data
}

/** A key was created. */
export interface KeyCreatedEvent extends AuditEventBase<'api_key.created'> {}

/** A key that another system issued was stored. */
export interface KeyImportedEvent
  extends AuditEventBase<
    'api_key.imported',
    {
      /** The id of its format. */
      readonly format: string
    }
  > {}

/** A key was given a replacement, in one step. */
export interface KeyRotatedEvent
  extends AuditEventBase<
    'api_key.rotated',
    {
      /** The id of the new key. */
      readonly replacementId: string
      /** The first 12 characters of its secret. */
      readonly replacementPrefix: string
      /** Its scopes: those of the old key that the catalogue still had. */
      readonly replacementScopes: readonly string[]
      /** When the old key stops, in ISO 8601 and UTC; `null` when it stopped at once. */
      readonly overlapEndsAt: string | null
    }
  > {}

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
export interface KeyUpdatedEvent
  extends AuditEventBase<
    'api_key.updated',
    {
      /** The changed fields as they were. */
      readonly before: ChangedFields
      /** The changed fields as they are. */
      readonly after: ChangedFields
    }
  > {}

/** A key was paused. */
export interface KeyPausedEvent extends AuditEventBase<'api_key.paused'> {}

/** A paused key was resumed. */
export interface KeyResumedEvent extends AuditEventBase<'api_key.resumed'> {}

/** A key was revoked. */
export interface KeyRevokedEvent
  extends AuditEventBase<
    'api_key.revoked',
    {
      /** Whether the key was being replaced, and its overlap ended early. */
      readonly endedOverlap: boolean
      /** Why, or `null` where nobody said. */
      readonly reason: RevocationReason | null
    }
  > {}

/** What an event says of the end of a key. @inline */
interface Expiry {
  /** When the key expires or expired, in ISO 8601 and UTC. */
  readonly expiresAt: string
}

/** A key expires in 7 days or in 1 day, if its expiry is not moved. */
export interface KeyExpiringEvent extends AuditEventBase<'api_key.expiring', Expiry> {}

/** A key has expired. */
export interface KeyExpiredEvent extends AuditEventBase<'api_key.expired', Expiry> {}

/** The overlap after a rotation is over, and the old key has stopped. */
export interface KeyRetiredEvent
  extends AuditEventBase<
    'api_key.retired',
    {
      /** The id of the key that took its place. */
      readonly replacementId: string
      /** When it stopped, in ISO 8601 and UTC. */
      readonly overlapEndsAt: string
    }
  > {}

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
