import type { AuditEvent, AuditEventRecord } from '../model/audit-event.ts'
import type { DenialReason } from '../model/denial.ts'
import type { Requirement } from '../model/requirement.ts'

/** A request was refused. It names the key only where a key was found. */
export interface DeniedEvent<S extends string = string> {
  /** Tells this event from the others. */
  readonly type: 'authentication.denied'
  /** When it was refused. */
  readonly at: Date
  /** Why, as the {@link Denial} says. */
  readonly reason: DenialReason
  /** The scopes that the request needs; `null` where any valid key would have done. */
  readonly requirement: Requirement<S>
  /** The key, or `null` where none was found. */
  readonly keyId: string | null
  /** The key's workspace, or `null` where no key was found. */
  readonly workspaceId: string | null
}

/** The storage failed, a function of the host that the library calls, or the library itself. */
export interface FaultEvent {
  /** Tells this event from the others. */
  readonly type: 'outage'
  /** When it failed. */
  readonly at: Date
  /**
   * The storage method that failed, `entitlements`, `limiter`, `formats`, `resource`, `clientAddress`,
   * `isSecure` or `onDenied` of a guard, `now`, `guard` when a guard failed through no outage, or `lease`
   * when the cache lost its lease.
   */
  readonly operation: string
  /**
   * What it threw, or a `TypeError` about an invalid answer. With `addUses` also that counts are lost,
   * because the storage can never store them; `cause` says why. `JSON.stringify` of the event shows its
   * `name`, `message`, `code` and `cause`, without secrets and hashes; of what the functions of `formats`
   * throw no message, since those get the secret.
   */
  readonly error: unknown
}

/** What `onEvent` receives: changes to keys, refused requests and faults; never a secret. */
export type ApiKeyEvent<S extends string = string> = AuditEvent | DeniedEvent<S> | FaultEvent

/** The public form of a stored event. */
export function toAuditEvent({ atMs, ...event }: AuditEventRecord): AuditEvent {
  return Object.freeze({ ...event, at: new Date(atMs) })
}
