import {
  errorWith,
  type Failure,
  harmless,
  type ServerErrors,
  textOf,
  unstorableIf,
} from '../server-errors.ts'
import { StorageError, type StorageErrorCode } from '../storage-error.ts'

/** An error whose cause is the driver's error without the data that it may quote. */
export function faultOf(code: StorageErrorCode, message: string, cause: unknown): StorageError {
  return new StorageError(code, message, { cause: withoutData(cause) })
}

/** The error for a read replica, which may not have received a revocation that was answered. */
export function notPrimary(cause: unknown): StorageError {
  return faultOf('not_primary', 'this server is a read replica: connect to the primary', cause)
}

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
  const code = textOf(error, 'code')
  const isTemporary = UNREACHABLE.test(code) || /timeout|terminated/i.test(textOf(error, 'message'))
  return isTemporary ? 'unreachable' : 'final'
}

/** On Linux, a connection that a firewall cuts off can end with ECONNREFUSED too, when it is read or written. */
function hasNeverConnected(error: unknown): boolean {
  const isOfConnection = /^(?:read|write)$/.test(textOf(error, 'syscall'))
  return NEVER_CONNECTED.test(textOf(error, 'code')) && !isOfConnection
}

function kindOfClass(state: string): Failure {
  if (state.startsWith('08')) return 'lost'
  return state.startsWith('58') || state === 'XX000' ? 'unclear' : 'final'
}

/** The SQLSTATE of a server's error. Node's own codes, such as `EPIPE`, all begin with `E`. */
export function sqlStateOf(error: unknown): string | null {
  const code = textOf(error, 'code')
  return /^[0-9A-DF-Z][0-9A-Z]{4}$/.test(code) ? code : null
}

/**
 * The same error, as `unstorable_value` where the server refused the values of a statement: class 22 are
 * data exceptions, class 23 constraints, and triggers raise P0001.
 */
export function asUnstorable(error: unknown): unknown {
  return unstorableIf((cause) => /^(?:22|23|P0001)/.test(sqlStateOf(cause) ?? ''), error)
}

/** How the errors of PostgreSQL and its drivers are read. */
export const ERRORS: ServerErrors = {
  server: 'PostgreSQL',
  failureOf,
  faultOf,
  faultFrom: (error, { kind, isChange }) => {
    // A read writes nothing, so only a standby refuses it as a write.
    if (kind === 'read_only' && !isChange) return notPrimary(error)
    const { message } = withoutData(error)
    const state = sqlStateOf(error)
    // Without a code the error is not the server's: the pool was closed, or could not connect.
    if (state === null || kind === 'lost' || kind === 'unreachable') {
      return faultOf('unavailable', `PostgreSQL cannot be reached: ${message}`, error)
    }
    // A wrong password, role or database name ends a connection as it begins.
    const what = /^(?:28|3D000$)/.test(state) ? 'connection' : 'statement'
    return faultOf('refused', `PostgreSQL refused the ${what}: ${message}`, error)
  },
}

/**
 * A copy of a driver's error without anything that may quote rows and parameters: without its detail,
 * hint and context, and without a message that may repeat them.
 */
export function withoutData(error: unknown): Error {
  const names = isRaised(error) ? ['severity'] : ['severity', 'schema', 'table', 'constraint']
  const facts = ['code', 'syscall', ...names].map((name) => [name, textOf(error, name)])
  return errorWith(messageOf(error), Object.fromEntries(facts))
}

function messageOf(error: unknown): string {
  const message = textOf(error, 'message')
  // Class 22, data exceptions: they repeat input.
  if (sqlStateOf(error)?.startsWith('22')) return 'data exception'
  if (isRaised(error) && !message.startsWith('miftah: ')) return 'raised by a function'
  return harmless(message)
}

/** Whether code in the database raised it, such as a trigger of another program. */
function isRaised(error: unknown): boolean {
  const state = sqlStateOf(error) ?? ''
  return textOf(error, 'routine') === 'exec_stmt_raise' || /^(?:38|P0)/.test(state)
}
