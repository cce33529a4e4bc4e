import { StorageError, type StorageErrorCode } from '../storage-error.ts'

/** An error whose cause is the driver's error without the data that it may quote. */
export function faultOf(code: StorageErrorCode, message: string, cause: unknown): StorageError {
  return new StorageError(code, message, { cause: withoutData(cause) })
}

/** The error for a read replica, which may not have received a revocation that was answered. */
export function notPrimary(cause: unknown): StorageError {
  return faultOf('not_primary', 'this server is a read replica: connect to the primary', cause)
}

/**
 * What a failed attempt says about the statement.
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

const KINDS: Readonly<Record<string, Failure>> = {
  '40001': 'busy',
  '40P01': 'busy',
  '55P03': 'busy',
  '57P01': 'lost',
  '57P02': 'lost',
  '57P05': 'lost',
  '57P03': 'unreachable',
  '53300': 'unreachable',
  '25006': 'read_only',
  '26000': 'unnamed',
  '42P05': 'unnamed',
  // "cached plan must not change result type": a migration went by.
  '0A000': 'unnamed',
}

/** Node's codes that only an attempt to connect gives, so nothing was sent. */
const NEVER_CONNECTED = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/

/** Node's codes for a connection that could not be made, or that broke. */
const UNREACHABLE = /^(?:ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE)$/

/** Reads the error of an attempt; `wasSent` says whether the statement may have left this process. */
export function failureOf(error: unknown, wasSent: boolean): Failure {
  const state = sqlStateOf(error)
  if (state !== null) {
    const kind = KINDS[state] ?? kindOfClass(state)
    return kind === 'lost' && !wasSent ? 'unreachable' : kind
  }
  if (hasNeverConnected(error)) return 'unreachable'
  if (wasSent) return 'lost'
  const code = property(error, 'code')
  const isTemporary =
    UNREACHABLE.test(code) || /timeout|terminated/i.test(property(error, 'message'))
  return isTemporary ? 'unreachable' : 'final'
}

/** On Linux, a connection that a firewall cuts off can end with ECONNREFUSED too, when it is read or written. */
function hasNeverConnected(error: unknown): boolean {
  const isOfConnection = /^(?:read|write)$/.test(property(error, 'syscall'))
  return NEVER_CONNECTED.test(property(error, 'code')) && !isOfConnection
}

function kindOfClass(state: string): Failure {
  if (state.startsWith('08')) return 'lost'
  return state.startsWith('58') || state === 'XX000' ? 'unclear' : 'final'
}

/** The SQLSTATE of a server's error. Node's own codes, such as `EPIPE`, all begin with `E`. */
export function sqlStateOf(error: unknown): string | null {
  const code = property(error, 'code')
  return /^[0-9A-DF-Z][0-9A-Z]{4}$/.test(code) ? code : null
}

/**
 * The same error, as `unstorable_value` where the server refused the values of a statement: class 22 are
 * data exceptions, class 23 constraints, and triggers raise P0001.
 */
export function asUnstorable(error: unknown): unknown {
  if (!(error instanceof StorageError) || error.code !== 'refused') return error
  const isOfValues = /^(?:22|23|P0001)/.test(sqlStateOf(error.cause) ?? '')
  return isOfValues ? faultOf('unstorable_value', error.message, error.cause) : error
}

/** A wrong password, role or database name (class 28 and 3D000) ends a connection as it begins. */
export function whatWasRefused(error: unknown): 'connection' | 'statement' {
  return /^(?:28|3D000$)/.test(sqlStateOf(error) ?? '') ? 'connection' : 'statement'
}

/**
 * A copy of a driver's error without anything that may quote rows and parameters: without its detail,
 * hint and context, and without a message that may repeat them.
 */
export function withoutData(error: unknown): Error {
  const copy = new Error(harmlessMessage(error) || 'no message')
  const names = isRaised(error) ? ['severity'] : ['severity', 'schema', 'table', 'constraint']
  for (const name of ['code', 'syscall', ...names]) {
    const value = property(error, name)
    if (value !== '') Object.defineProperty(copy, name, { value, enumerable: true })
  }
  return copy
}

function harmlessMessage(error: unknown): string {
  const message = property(error, 'message')
  // Class 22, data exceptions: they repeat input.
  if (sqlStateOf(error)?.startsWith('22')) return 'data exception'
  if (isRaised(error) && !message.startsWith('miftah: ')) return 'raised by a function'
  // Some wrappers of drivers append the parameters on further lines.
  const [first = ''] = message.split('\n', 1)
  return first.replaceAll(/[0-9a-f]{32,}/gi, '…')
}

/** Whether code in the database raised it, such as a trigger of another program. */
function isRaised(error: unknown): boolean {
  const state = sqlStateOf(error) ?? ''
  return property(error, 'routine') === 'exec_stmt_raise' || /^(?:38|P0)/.test(state)
}

function property(error: unknown, name: string): string {
  if (typeof error !== 'object' || error === null) return ''
  const value: unknown = Reflect.get(error, name)
  return typeof value === 'string' ? value : ''
}
