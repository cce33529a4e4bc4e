import type { FaultEvent } from './api-key-event.ts'

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
