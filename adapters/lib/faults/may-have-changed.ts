import type { OutageError } from '../../../src/index.ts'

/** The storage verbs that change keys. */
const CHANGES: ReadonlySet<string> = new Set([
  ...['insert', 'update', 'rotate', 'revoke', 'revokeMany'],
  ...['erasePerson', 'eraseWorkspace', 'purge'],
])

/** Codes of a `StorageError` which mean that nothing was changed. */
const UNCHANGED: ReadonlySet<unknown> = new Set([
  'closed',
  'driver_missing',
  'not_primary',
  'refused',
  'schema_missing',
  'schema_too_new',
  'timeout',
  'unavailable',
  'unstorable_value',
])

/** SQLite drivers throw their own errors; by then the transaction has been rolled back. */
const ROLLED_BACK = /^(?:ERR_)?SQLITE/

/**
 * Whether a change may have been made although it failed. It may, unless the storage says otherwise:
 * a time limit, a lost connection or an unreadable answer says nothing about the change.
 */
export function mayHaveChanged({ operation, cause }: OutageError): boolean {
  if (!CHANGES.has(operation)) return false
  const code: unknown = Object(cause).code
  return !UNCHANGED.has(code) && !(typeof code === 'string' && ROLLED_BACK.test(code))
}
