import { StorageError, type StorageErrorCode } from './storage-error.ts'

/**
 * What a failed attempt says about what it was to do.
 * - `busy`: it lost to another transaction and can be tried again.
 * - `lost`: the connection broke, so it may have run.
 * - `unclear`: the server refused it, or a pooler lost the server while it ran and says so.
 * - `unreachable`: it did not run, because the server cannot take it at the moment.
 * - `read_only`: this server runs no changes, but another connection may lead to one that does.
 * - `unnamed`: the connection does not know the prepared statement; it can run without one.
 * - `final`: it did not run, and would not run the next time either.
 */
export type Failure =
  | 'busy'
  | 'lost'
  | 'unclear'
  | 'unreachable'
  | 'read_only'
  | 'unnamed'
  | 'final'

/** How the errors of a server and of its driver are read. */
export interface ServerErrors {
  /** What the server is called in messages. */
  readonly server: string
  /** Reads the error of an attempt; `wasSent` says whether it may have changed something. */
  readonly failureOf: (error: unknown, wasSent: boolean) => Failure
  /** An error whose cause is the driver's error without the data that it may quote. */
  readonly faultOf: (code: StorageErrorCode, message: string, cause: unknown) => StorageError
  /** The error of a call that failed for good, with nothing changed. */
  readonly faultFrom: (
    error: unknown,
    failure: { readonly kind: Failure; readonly isChange: boolean },
  ) => StorageError
}

/** The text in a property of what a driver has thrown; an empty one without it. */
export function textOf(error: unknown, name: string): string {
  const value: unknown = Object(error)[name]
  return typeof value === 'string' ? value : ''
}

/**
 * A message without what it may repeat: hashes, and further lines, on which some wrappers of drivers
 * append the parameters.
 */
export function harmless(message: string): string {
  const [first = ''] = message.split('\n', 1)
  return first.replaceAll(/[0-9a-f]{32,}/gi, '…')
}

/** An error with this message and those of the facts that are not empty. */
export function errorWith(message: string, facts: Readonly<Record<string, unknown>>): Error {
  const error = new Error(message || 'no message')
  for (const [name, value] of Object.entries(facts)) {
    if (value) Object.defineProperty(error, name, { value, enumerable: true })
  }
  return error
}

/** The same error, as `unstorable_value` where the server refused the values of a statement. */
export function unstorableIf(isOfValues: (cause: unknown) => boolean, error: unknown): unknown {
  if (!(error instanceof StorageError) || error.code !== 'refused') return error
  if (!isOfValues(error.cause)) return error
  return new StorageError('unstorable_value', error.message, { cause: error.cause })
}
