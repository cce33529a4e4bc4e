import type { ChangeLog } from './change-log.ts'
import type { KeyStorage } from './contract.ts'

/** A method that every storage has. */
export type StorageMethod = Exclude<keyof KeyStorage, 'changes' | 'batchKeys' | 'diagnose'>

/** All of them, for what wraps or checks a storage. */
export const STORAGE_METHODS: readonly StorageMethod[] = Object.freeze(
  Object.keys({
    findByHash: true,
    read: true,
    write: true,
    list: true,
    events: true,
    addUses: true,
    usage: true,
    claimEvents: true,
    acknowledgeEvents: true,
    releaseEvents: true,
    due: true,
    keysOfPerson: true,
    renameActor: true,
    closeWorkspace: true,
    deleteWorkspace: true,
    purge: true,
  } satisfies Record<StorageMethod, true>) as StorageMethod[],
)

/**
 * The calls that change something, those of a log of changes too: their answers say how it ended, however
 * late they are looked at.
 */
export const CHANGING_CALLS: ReadonlySet<string> = new Set<StorageMethod | keyof ChangeLog>([
  ...(['write', 'addUses', 'renameActor', 'closeWorkspace', 'deleteWorkspace', 'purge'] as const),
  ...(['register', 'renew', 'evict', 'leave', 'changePlan', 'wake'] as const),
])

/** The codes of errors with which a storage says that a change that was called is not stored. @internal */
export const UNCHANGED_CODES: ReadonlySet<unknown> = new Set([
  'busy',
  'closed',
  'driver_missing',
  'not_primary',
  'refused',
  'schema_foreign',
  'schema_missing',
  'schema_too_new',
  'timeout',
  'unavailable',
  'unstorable_value',
])
