import {
  errorWith,
  type Failure,
  harmless,
  type ServerErrors,
  textOf,
  unstorableIf,
} from '../server-errors.ts'
import { StorageError, type StorageErrorCode } from '../storage-error.ts'

/**
 * A deadlock, or on a cluster a conflict with a commit of another server; a lock that was waited for too
 * long, or a server of a cluster that cannot catch up; a row that changed since the snapshot.
 */
const BUSY = [1213, 1205, 1020]

/** The server is full, starts, stops, was told to end the statement, or is not part of its cluster. */
const UNREACHABLE = [
  ...[1040, 1047, 1053, 1077, 1079, 1152, 1158, 1159, 1160, 1161, 1180, 1203, 1226, 1317],
  ...[1927, 1969, 2006, 2013, 3024, 4031],
]

const READ_ONLY = [1290, 1792, 1836]

/** What Node and mysql2 call a connection that could not be made, or that broke. */
const BROKEN =
  /^(?:E(?:CONNREFUSED|NOTFOUND|AI_AGAIN|CONNRESET|TIMEDOUT|HOSTUNREACH|NETUNREACH|PIPE)|PROTOCOL_.*|ECONNABORTED)$/

/** Reads the error of an attempt; `wasSent` says whether it has sent its COMMIT. */
function failureOf(error: unknown, wasSent: boolean): Failure {
  const kind = kindOf(error)
  return wasSent && kind !== 'busy' && kind !== 'read_only' ? 'lost' : kind
}

function kindOf(error: unknown): Failure {
  if (error instanceof StorageError) return error.code === 'not_primary' ? 'read_only' : 'final'
  const errno = errnoOf(error)
  if (errno !== null) {
    if (BUSY.includes(errno)) return 'busy'
    if (UNREACHABLE.includes(errno)) return 'unreachable'
    return READ_ONLY.includes(errno) ? 'read_only' : 'final'
  }
  const isBroken = Object(error).fatal === true || BROKEN.test(textOf(error, 'code'))
  return isBroken ? 'unreachable' : 'final'
}

/** The number of a server's error; `null` for one of the driver or of Node. */
export function errnoOf(error: unknown): number | null {
  const { errno, sqlState } = Object(error)
  return typeof errno === 'number' && errno > 0 && typeof sqlState === 'string' ? errno : null
}

/** An error whose cause is the driver's error without the data that it may quote. */
export function faultOf(code: StorageErrorCode, message: string, cause: unknown): StorageError {
  return new StorageError(code, message, { cause: withoutData(cause) })
}

/** The error of a server that takes no changes, which may not have heard of a revocation. */
export function notPrimary(cause?: unknown): StorageError {
  const message = 'this server is a read replica, or read only: connect to the primary'
  return cause === undefined
    ? new StorageError('not_primary', message)
    : faultOf('not_primary', message, cause)
}

/** How the errors of MySQL, MariaDB and mysql2 are read. */
export const ERRORS: ServerErrors = {
  server: 'the database',
  failureOf,
  faultOf,
  faultFrom: (error, { kind }) => {
    if (kind === 'read_only') return notPrimary(error)
    const { message } = withoutData(error)
    const errno = errnoOf(error)
    if (errno === null || kind !== 'final') {
      return faultOf('unavailable', `the database cannot be reached: ${message}`, error)
    }
    const what = OF_CONNECTION.has(errno) ? 'connection' : 'statement'
    return faultOf('refused', `the database refused the ${what}: ${message}`, error)
  },
}

/** A wrong password, user, host or database ends a connection as it begins. */
const OF_CONNECTION = new Set([1044, 1045, 1049, 1129, 1130, 1251, 1698, 3118, 3159])

/** Errors whose messages quote names, and never values: missing rights, tables and the like. */
const HARMLESS = new Set([
  ...OF_CONNECTION,
  ...[1040, 1047, 1053, 1142, 1143, 1146, 1180, 1203, 1205, 1213, 1226, 1227, 1290, 1317, 1370],
  ...[1364, 1665, 1792, 1836, 1927, 1969, 3024],
])

/**
 * The same error, as `unstorable_value` where the server refused the values of a statement: SQLSTATE class 22
 * are data exceptions, class 23 constraints.
 */
export function asUnstorable(error: unknown): unknown {
  return unstorableIf((cause) => /^(?:22|23)/.test(textOf(cause, 'sqlState')), error)
}

/**
 * A copy of a driver's error without the statement, and without a message that may repeat what is in it. The
 * server quotes values in many messages.
 */
export function withoutData(error: unknown): Error {
  const errno = errnoOf(error)
  const code = textOf(error, 'code')
  const isHarmless = errno === null || HARMLESS.has(errno)
  const facts = { code, syscall: textOf(error, 'syscall'), sqlState: textOf(error, 'sqlState') }
  return errorWith(isHarmless ? harmless(textOf(error, 'message')) : code, { ...facts, errno })
}
