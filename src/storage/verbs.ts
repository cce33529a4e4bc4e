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
