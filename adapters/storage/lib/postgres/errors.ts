import type { Failure, Faults, Kind } from '../attempts.ts'
import { copied, firstLineOf, textOf } from '../driver-error.ts'
import { StorageError, type StorageErrorCode } from '../storage-error.ts'

const KINDS: Readonly<Record<string, Failure>> = {
  '40001': 'busy',
  '40P01': 'busy',
  '55P03': 'busy',
  // A key was deleted while its uses were added.
  '23503': 'busy',
  '57P03': 'passing',
  '53300': 'passing',
  // Another connection may lead to the primary.
  '25006': 'passing',
}

/** A connection that does not know a prepared statement, or not its columns, because a migration went by. */
const UNNAMED = /^(?:26000|42P05|0A000)$/

/** What ends a connection as it begins: a wrong password, role or database, and too many connections. */
const AT_START = /^(?:28|3D000|53300|57P03)/

/** The classes of errors of a running statement; 58 and XX a pooler says too when it has lost the server. */
const OF_STATEMENT = /^(?:57014|0[AL]|2[0-9]|3[489DF]|4[24]|5[345]|P0)/

const UNREACHABLE = /^(?:08|57P0|53300)/

/** Node's codes that only an attempt to connect gives, so nothing was sent. */
const NEVER_CONNECTED = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/

/** Reads the error of an attempt. What is not known to be definite is open, once it was sent. */
function failureOf(error: unknown, wasSent: boolean): Failure {
  const state = sqlStateOf(error)
  const unknown = wasSent ? 'open' : 'passing'
  if (state === null) return hasNeverConnected(error) ? 'passing' : unknown
  if (/^(?:FATAL|PANIC)$/.test(textOf(error, 'severity')) && !AT_START.test(state)) return unknown
  // 25P03 and 25P04 end the session.
  if (/^25P0[34]$/.test(state)) return unknown
  return KINDS[state] ?? (OF_STATEMENT.test(state) ? 'final' : unknown)
}

/** Whether a statement did not run because it was prepared. */
export function isUnnamed(error: unknown): boolean {
  return UNNAMED.test(sqlStateOf(error) ?? '')
}

/** On Linux, a connection that a firewall cuts off can end with ECONNREFUSED too, when it is read or written. */
function hasNeverConnected(error: unknown): boolean {
  const isOfConnection = /^(?:read|write)$/.test(textOf(error, 'syscall'))
  return NEVER_CONNECTED.test(textOf(error, 'code')) && !isOfConnection
}

/** The SQLSTATE of a server's error. Node's own codes, such as `EPIPE`, all begin with `E`. */
export function sqlStateOf(error: unknown): string | null {
  const code = textOf(error, 'code')
  return /^[0-9A-DF-Z][0-9A-Z]{4}$/.test(code) ? code : null
}

/** The SQLSTATE with which a call was refused, or an empty text. */
export function stateIn(error: unknown): string {
  return (error instanceof StorageError && sqlStateOf(error.cause)) || ''
}

function faultOf(code: StorageErrorCode, message: string, cause: unknown): StorageError {
  return new StorageError(code, message, { cause: withoutData(cause) })
}

function faultFrom(error: unknown, kind: Kind): StorageError {
  const state = sqlStateOf(error)
  const { message } = withoutData(error)
  // A read writes nothing, so only a standby refuses it as a write; a standby may not have received a revocation.
  if (state === '25006' && kind === 'read') {
    return faultOf('not_primary', 'this server is a read replica: connect to the primary', error)
  }
  // Without a code the error is not the server's: the pool was closed, or could not connect.
  if (state === null || UNREACHABLE.test(state)) {
    return faultOf('unavailable', `PostgreSQL cannot be reached: ${message}`, error)
  }
  if (state === '57014') return faultOf('timeout', `PostgreSQL gave up: ${message}`, error)
  // Class 22 are data exceptions, class 23 constraints, and triggers raise P0001. 22012 is a write that is not whole.
  if (kind !== 'read' && /^(?:22|23|P0001)/.test(state) && state !== '22012') {
    return faultOf('unstorable_value', `PostgreSQL refused the values: ${message}`, error)
  }
  const what = /^(?:28|3D000$)/.test(state) ? 'connection' : 'statement'
  return faultOf('refused', `PostgreSQL refused the ${what}: ${message}`, error)
}

/** Without its detail, hint and context, and without a message that may repeat rows and parameters. */
function withoutData(error: unknown): Error {
  const names = isRaised(error) ? [] : ['schema', 'table', 'constraint']
  return copied(error, messageOf(error), ['code', 'syscall', 'severity', ...names])
}

function messageOf(error: unknown): string {
  // Class 22, data exceptions: they repeat input.
  if (sqlStateOf(error)?.startsWith('22')) return 'data exception'
  const message = firstLineOf(error)
  return isRaised(error) && !message.startsWith('miftah: ') ? 'raised by a function' : message
}

/** Whether code in the database raised it, such as a trigger of another program. */
function isRaised(error: unknown): boolean {
  const state = sqlStateOf(error) ?? ''
  return textOf(error, 'routine') === 'exec_stmt_raise' || /^(?:38|P0)/.test(state)
}

export const POSTGRES: Faults = {
  ...{ database: 'PostgreSQL', busyWrites: Number.POSITIVE_INFINITY },
  ...{ failureOf, faultFrom, faultOf },
}
