import type { OutageError } from '../../../src/index.ts'
import { UNCHANGED_CODES } from '../../../src/storage/index.ts'

/** The operations that change keys or events, and the storage methods that such an operation takes. */
const CHANGES: ReadonlySet<string> = new Set([
  ...['createKey', 'importKeys', 'updateKey', 'pauseKey', 'resumeKey', 'rotateKey'],
  ...['revokeKey', 'revokeKeys', 'removeResource', 'erasePerson', 'eraseWorkspace'],
  ...['closeWorkspace', 'deleteWorkspace', 'renameActor', 'purge'],
])

/**
 * Whether a change may have been made although it failed. It may, unless the storage says otherwise:
 * a time limit, a lost connection or an unreadable answer says nothing about the change.
 */
export function mayHaveChanged({ operation, cause }: OutageError): boolean {
  return CHANGES.has(operation) && !UNCHANGED_CODES.has(Object(cause).code)
}
