import type { AuditEvent, AuditEventRecord } from '../model/audit-event.ts'
import type { DenialReason, Requirement } from '../model/denial.ts'

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

interface LoggedError {
  readonly name?: string
  readonly message?: string
  readonly code?: string | number
  readonly cause?: LoggedError
}

const MOST_CAUSES = 5

/** What miftah says itself about the functions of `formats`; these get a secret, and may quote it. */
const OWN_MESSAGE = /^(?:Format "[a-z0-9-]+": |no answer in \d+ ms$)/

/** Secrets in miftah's own form, even cut short, and hashes. */
const SECRETS = /[a-z][a-z0-9]{1,3}_(?:live|test)_[0-9A-Za-z]+|[0-9a-f]{32,}/gi

/**
 * The event of a fault. JSON shows an `Error` as `{}`, so the event brings a `toJSON` of its own, which shows
 * what a log needs of the error and masks secrets and hashes.
 */
export function faultEvent(fault: Omit<FaultEvent, 'type'>): FaultEvent {
  const { operation, error } = fault
  const event = { type: 'outage', ...fault } as const
  const shown = operation === 'formats' ? OWN_MESSAGE : /^/
  const toJSON = () => ({ ...event, error: logged(error, shown) })
  return Object.defineProperty(event, 'toJSON', { value: toJSON })
}

/** The parts of an error whose message `shown` matches, of others all but the message. */
function logged(error: unknown, shown: RegExp, causes = MOST_CAUSES): LoggedError {
  const message = typeof error === 'string' ? error : propertyIn(error, 'message')
  const [name, code] = [propertyIn(error, 'name'), propertyIn(error, 'code')]
  const cause = propertyIn(error, 'cause')
  return {
    ...(typeof name === 'string' && { name }),
    ...(typeof message === 'string' && shown.test(message) && { message: masked(message) }),
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(cause !== undefined && causes > 0 && { cause: logged(cause, shown, causes - 1) }),
  }
}

function propertyIn(error: unknown, name: string): unknown {
  try {
    return Reflect.get(Object(error), name)
  } catch {
    // A getter of somebody else's error: a log does without.
    return undefined
  }
}

function masked(text: string): string {
  return text.replace(SECRETS, '…')
}
