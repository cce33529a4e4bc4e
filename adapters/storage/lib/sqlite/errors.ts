import { StorageError } from '../storage-error.ts'
import { isBusy, isConstraint } from './driver.ts'

/**
 * What a call rejects with for what a driver has thrown, with nothing stored. `name` is what the database is
 * called. SQLite's own messages name tables, columns and constraints, never what is in them.
 */
export function faultOf(error: unknown, name: string): unknown {
  if (error instanceof StorageError || error instanceof TypeError) return error
  const { message, code, errcode } = Object(error)
  // A trigger of the host may quote a hash, and a wrapper of a driver parameters on further lines.
  const [first = ''] = String(message).split('\n', 1)
  const words = first.replaceAll(/[0-9a-f]{32,}/gi, '…')
  const cause = Object.assign(new Error(words), { code, errcode })
  if (isBusy(error)) {
    return new StorageError('busy', `${name} was locked by another connection: ${words}`, { cause })
  }
  if (isConstraint(error)) {
    return new StorageError('unstorable_value', `${name} refused a value: ${words}`, { cause })
  }
  return new StorageError('unavailable', `${name} cannot be used: ${words}`, { cause })
}
