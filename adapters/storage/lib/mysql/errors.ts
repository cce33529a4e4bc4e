import type { Failure, Faults, Kind } from '../attempts.ts'
import { copied, firstLineOf, textOf } from '../driver-error.ts'
import { StorageError, type StorageErrorCode } from '../storage-error.ts'

/** A deadlock, or on a cluster a conflict with a commit of another server; a row that changed since the snapshot. */
const BUSY = [1213, 1020]

/**
 * A lock that was waited for too long, or a server of a cluster that cannot catch up; the server is full, starts,
 * stops, was told to end the statement, is not part of its cluster, or takes no changes.
 */
const UNREACHABLE = [
  ...[1040, 1047, 1053, 1077, 1079, 1152, 1158, 1159, 1160, 1161, 1180, 1203, 1205, 1226, 1317],
  ...[1927, 1969, 2006, 2013, 3024, 4031],
]

const READ_ONLY = [1290, 1792, 1836]

/** What Node and mysql2 call a connection that could not be made, or that broke. */
const BROKEN =
  /^(?:E(?:CONNREFUSED|NOTFOUND|AI_AGAIN|CONNRESET|TIMEDOUT|HOSTUNREACH|NETUNREACH|PIPE)|PROTOCOL_.*|ECONNABORTED)$/

/** Reads the error of an attempt. At COMMIT all but `busy` is open; before it, nothing has changed. */
function failureOf(error: unknown, wasSent: boolean): Failure {
  const failure = failureBefore(error)
  return wasSent && failure !== 'busy' ? 'open' : failure
}

function failureBefore(error: unknown): Failure {
  if (error instanceof StorageError) return error.code === 'not_primary' ? 'passing' : 'final'
  const errno = errnoOf(error)
  if (errno === null) {
    const isBroken = Object(error).fatal === true || BROKEN.test(textOf(error, 'code'))
    return isBroken ? 'passing' : 'final'
  }
  if (BUSY.includes(errno)) return 'busy'
  return UNREACHABLE.includes(errno) || READ_ONLY.includes(errno) ? 'passing' : 'final'
}

/** The number of a server's error; `null` for one of the driver or of Node. */
export function errnoOf(error: unknown): number | null {
  const { errno, sqlState } = Object(error)
  return typeof errno === 'number' && errno > 0 && typeof sqlState === 'string' ? errno : null
}

/** What work answers, or `null` where the server refuses it with one of these numbers. */
export async function unless<T>(
  errnos: readonly number[],
  work: () => Promise<T>,
): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    if (errnos.includes(errnoOf(error) ?? 0)) return null
    throw error
  }
}

/** ER_DBACCESS_DENIED_ERROR, ER_TABLEACCESS_DENIED_ERROR and ER_COLUMNACCESS_DENIED_ERROR. */
export const DENIED: readonly number[] = [1044, 1142, 1143]

/** An error whose cause is the driver's error without the data that it may quote. */
export function faultOf(code: StorageErrorCode, message: string, cause: unknown): StorageError {
  return new StorageError(code, message, { cause: withoutData(cause) })
}

/** The error of a server that takes no changes, which may not have heard of a revocation. */
export function notPrimary(): StorageError {
  const message = 'this server is a read replica, or read only: connect to the primary'
  return new StorageError('not_primary', message)
}

function faultFrom(error: unknown, kind: Kind): StorageError {
  if (error instanceof StorageError) return error
  const errno = errnoOf(error)
  if (errno !== null && READ_ONLY.includes(errno)) return notPrimary()
  const { message } = withoutData(error)
  if (errno === null || failureBefore(error) === 'passing') {
    return faultOf('unavailable', `the database cannot be reached: ${message}`, error)
  }
  if (kind !== 'read' && isOfValues(errno, textOf(error, 'sqlState'))) {
    return faultOf('unstorable_value', `the database refused the values: ${message}`, error)
  }
  const what = OF_CONNECTION.has(errno) ? 'connection' : 'statement'
  return faultOf('refused', `the database refused the ${what}: ${message}`, error)
}

/** SQLSTATE class 22 are data exceptions, class 23 constraints; a CHECK has no class in MySQL. */
function isOfValues(errno: number, sqlState: string): boolean {
  return /^(?:22|23)/.test(sqlState) || errno === 3819 || errno === 1366
}

/** A wrong password, user, host or database ends a connection as it begins. */
const OF_CONNECTION = new Set([1044, 1045, 1049, 1129, 1130, 1251, 1698, 3118, 3159])

/** Errors whose messages quote names, and never values: missing rights, tables and the like. */
const HARMLESS = new Set([
  ...OF_CONNECTION,
  ...[1040, 1047, 1053, 1142, 1143, 1146, 1180, 1203, 1205, 1213, 1226, 1227, 1290, 1317, 1370],
  ...[1364, 1665, 1792, 1836, 1927, 1969, 3024],
])

/** Without the statement, and without a message that may repeat what is in it: the server quotes values in many. */
function withoutData(error: unknown): Error {
  const errno = errnoOf(error)
  const isHarmless = errno === null || HARMLESS.has(errno)
  const fields = ['code', 'syscall', 'sqlState', ...(errno === null ? [] : ['errno'])]
  return copied(error, isHarmless ? firstLineOf(error) : textOf(error, 'code'), fields)
}

export const MYSQL_FAULTS: Faults = {
  ...{ database: 'the database', busyWrites: 2 },
  ...{ failureOf, faultFrom, faultOf },
}
