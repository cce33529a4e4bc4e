import { StorageError, type StorageErrorCode } from '../storage-error.ts'

/**
 * What a failed attempt says about what it was to do.
 * - `busy`: it lost to another transaction and can be tried again.
 * - `open`: it may have run.
 * - `unreachable`: it did not run, because the server cannot take it at the moment.
 * - `read_only`: this server runs no changes, but another connection may lead to one that does.
 * - `unnamed`: the connection does not know the prepared statement; it can run without one.
 * - `final`: it did not run, and would not run the next time either.
 */
export type Failure = 'busy' | 'open' | 'unreachable' | 'read_only' | 'unnamed' | 'final'

const KINDS: Readonly<Record<string, Failure>> = {
  '40001': 'busy',
  '40P01': 'busy',
  '55P03': 'busy',
  // A key was deleted while its uses were added.
  '23503': 'busy',
  '57P03': 'unreachable',
  '53300': 'unreachable',
  '25006': 'read_only',
  '26000': 'unnamed',
  '42P05': 'unnamed',
  // "cached plan must not change result type": a migration went by.
  '0A000': 'unnamed',
}

/** What ends a connection as it begins: a wrong password, role or database, and too many connections. */
const AT_START = /^(?:28|3D000|53300|57P03)/

/** The classes of errors of a running statement; 58 and XX a pooler says too when it has lost the server. */
const OF_STATEMENT = /^(?:57014|0[AL]|2[0-9]|3[489DF]|4[24]|5[345]|P0)/

const UNREACHABLE = /^(?:08|57P0|53300)/

/** Node's codes that only an attempt to connect gives, so nothing was sent. */
const NEVER_CONNECTED = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/

/** Reads the error of an attempt. What is not known to be definite is open. */
export function failureOf(error: unknown): Failure {
  const state = sqlStateOf(error)
  if (state === null) return hasNeverConnected(error) ? 'unreachable' : 'open'
  if (/^(?:FATAL|PANIC)$/.test(textOf(error, 'severity')) && !AT_START.test(state)) return 'open'
  // 25P03 and 25P04 end the session.
  if (/^25P0[34]$/.test(state)) return 'open'
  return KINDS[state] ?? (OF_STATEMENT.test(state) ? 'final' : 'open')
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

/** Whether a failed call was refused for an id, a hash or a link that is taken. */
export function isTaken(error: unknown): boolean {
  return error instanceof StorageError && sqlStateOf(error.cause) === '23505'
}

/** An error whose cause is the driver's error without the data that it may quote. */
export function faultOf(code: StorageErrorCode, message: string, cause: unknown): StorageError {
  return new StorageError(code, message, { cause: withoutData(cause) })
}

/** What a statement does: a `change` can be repeated without a second effect, a `write` only by who decided it. */
export type Kind = 'read' | 'change' | 'write'

/** The error of a call that failed for good, with nothing changed. */
export function faultFrom(error: unknown, kind: Kind): StorageError {
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

/**
 * A copy of a driver's error without anything that may quote rows and parameters: without its detail,
 * hint and context, and without a message that may repeat them.
 */
export function withoutData(error: unknown): Error {
  const names = isRaised(error) ? ['severity'] : ['severity', 'schema', 'table', 'constraint']
  const copy = new Error(messageOf(error) || 'no message')
  for (const name of ['code', 'syscall', ...names]) {
    const value = textOf(error, name)
    if (value !== '') Object.defineProperty(copy, name, { value, enumerable: true })
  }
  return copy
}

/** On further lines, some wrappers of drivers append the parameters. */
function messageOf(error: unknown): string {
  const [message = ''] = textOf(error, 'message').split('\n', 1)
  // Class 22, data exceptions: they repeat input.
  if (sqlStateOf(error)?.startsWith('22')) return 'data exception'
  if (isRaised(error) && !message.startsWith('miftah: ')) return 'raised by a function'
  return message.replaceAll(/[0-9a-f]{32,}/gi, '…')
}

/** Whether code in the database raised it, such as a trigger of another program. */
function isRaised(error: unknown): boolean {
  const state = sqlStateOf(error) ?? ''
  return textOf(error, 'routine') === 'exec_stmt_raise' || /^(?:38|P0)/.test(state)
}

function textOf(error: unknown, name: string): string {
  const value: unknown = Object(error)[name]
  return typeof value === 'string' ? value : ''
}
