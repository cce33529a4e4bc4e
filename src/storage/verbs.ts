import type { ChangeLog } from './change-log.ts'
import type { KeyStorage } from './contract.ts'

/** A method that every storage has. */
export type StorageVerb = Exclude<keyof KeyStorage, 'changes' | 'diagnose'>

/** All of them, for what wraps or checks a storage. */
export const STORAGE_VERBS: readonly StorageVerb[] = Object.freeze(
  Object.keys({
    insert: true,
    findByHash: true,
    findById: true,
    list: true,
    update: true,
    rotate: true,
    revoke: true,
    revokeMany: true,
    confirm: true,
    addUses: true,
    usage: true,
    events: true,
    claimEvents: true,
    acknowledgeEvents: true,
    releaseEvents: true,
    dueNotices: true,
    storeNotices: true,
    erasePerson: true,
    eraseWorkspace: true,
    purge: true,
  } satisfies Record<StorageVerb, true>) as StorageVerb[],
)

/**
 * The calls that change something, those of a log of changes too: their answers say how it ended, however late
 * they are looked at.
 */
export const CHANGING_CALLS: ReadonlySet<string> = new Set<StorageVerb | keyof ChangeLog>([
  ...(['insert', 'update', 'rotate', 'revoke', 'revokeMany', 'confirm', 'addUses'] as const),
  ...(['erasePerson', 'eraseWorkspace', 'purge'] as const),
  ...(['register', 'renew', 'evict', 'leave', 'changePlan', 'wake'] as const),
])
