import type { HourlyCount, KeyPage, KeyStorage, UsageBatch } from '../../../src/storage/index.ts'
import { checkInteger, isHash, isStorableText, storable, storableRecord } from './storable.ts'
import { StorageError } from './storage-error.ts'
import { storableCount } from './usage-history.ts'

/** A count with its outcome as the code that a database keeps. */
export type StorableCount = ReturnType<typeof storableCount>

/** The history of a batch with the codes of outcomes. */
export interface StorableHistory {
  readonly hourlyForDays: number
  readonly dailyForDays: number
  readonly counts: readonly StorableCount[]
}

/** A batch of uses of ids that may name a key. */
export interface StorableBatch extends Omit<UsageBatch, 'history'> {
  readonly history?: StorableHistory | undefined
}

/** The methods of a storage that ask a database. */
type Asking = Omit<KeyStorage, 'changes' | 'diagnose'>

/** What asks a database, once its arguments come back as they go in. */
export type StorableStorage = Omit<Asking, 'addUses'> & {
  readonly addUses: (
    batch: StorableBatch,
    call: Parameters<KeyStorage['addUses']>[1],
  ) => Promise<void>
}

const EMPTY_PAGE: KeyPage = { records: [], more: false, activeKeys: 0, total: 0 }

/**
 * A storage that asks a database only for what it can hold. A text that it cannot hold names nothing in
 * it, and a driver would send another one; a value to store is refused (`unstorable_value`). Each call
 * is passed on before its method returns, so what the caller does to an argument later changes nothing.
 */
export function storableOnly(storage: StorableStorage): Asking {
  return { ...reads(storage), ...changes(storage), ...others(storage) }
}

function reads(storage: StorableStorage) {
  return {
    findByHash: (hash, call) => (isHash(hash) ? storage.findByHash(hash, call) : null),
    findById: async (workspaceId, id, call) =>
      areStorable(workspaceId, id) ? storage.findById(workspaceId, id, call) : null,
    list: async (workspaceId, query, call) => {
      if (!areStorable(query.after)) return null
      if (areStorable(workspaceId)) return storage.list(workspaceId, storable(query), call)
      return query.after === null ? { ...EMPTY_PAGE } : null
    },
    usage: async (workspaceId, query, call) => {
      if (areStorable(workspaceId, query.id)) return storage.usage(workspaceId, query, call)
      return query.id === null ? { hours: [], days: [] } : null
    },
    events: async (workspaceId, query, call) => {
      if (!areStorable(query.after)) return null
      if (areStorable(workspaceId, query.keyId)) return storage.events(workspaceId, query, call)
      return query.after === null ? [] : null
    },
    dueNotices: async (query, call) => storage.dueNotices(storable(query), call),
  } satisfies Partial<Asking>
}

function changes(storage: StorableStorage) {
  return {
    insert: async (record, activeLimit, event, call) =>
      storage.insert(storableRecord(record), storable(activeLimit), storable(event), call),
    update: async (change, call) => storage.update(storable(change), call),
    rotate: async (change, call) => {
      storableRecord(change.replacement)
      return storage.rotate(storable(change), call)
    },
    revoke: async (change, call) => storage.revoke(storable(change), call),
    revokeMany: async (change, call) => storage.revokeMany(storable(change), call),
    confirm: async (workspaceId, call) =>
      areStorable(workspaceId) ? storage.confirm(workspaceId, call) : {},
    storeNotices: async (notices, call) => {
      const known = notices.filter(({ workspaceId, id }) => areStorable(workspaceId, id))
      return storage.storeNotices(storable(known), call)
    },
    erasePerson: async (erasure, call) => {
      if (!areStorable(erasure.personId)) return { keys: 0, events: 0, more: false }
      return storage.erasePerson(storable(erasure), call)
    },
    eraseWorkspace: async (erasure, call) => storage.eraseWorkspace(storable(erasure), call),
    purge: async (limits, call) => storage.purge(storable(limits), call),
  } satisfies Partial<Asking>
}

function others(storage: StorableStorage) {
  return {
    addUses: async (batch, call) => storage.addUses(storableBatch(batch), call),
    claimEvents: async (claim, call) => {
      const except = claim.except.filter(isStorableText)
      return storage.claimEvents(storable({ ...claim, except }), call)
    },
    acknowledgeEvents: async (relay, eventIds, call) => {
      if (!areStorable(relay)) return
      await storage.acknowledgeEvents(relay, eventIds.filter(isStorableText), call)
    },
    releaseEvents: async (relay, call) => {
      if (areStorable(relay)) await storage.releaseEvents(relay, call)
    },
  } satisfies Partial<Asking>
}

function storableBatch({ writer, sequence, uses, history }: UsageBatch): StorableBatch {
  const known = uses.filter(({ id }) => isStorableText(id))
  for (const entry of known) {
    checkInteger(entry.uses)
    checkInteger(entry.lastUsedAtMs)
    if (entry.uses >= 1) continue
    throw new StorageError('unstorable_value', 'uses to add must be at least 1')
  }
  const codes = (counts: readonly HourlyCount[]) =>
    counts.filter(({ id }) => isStorableText(id)).map(storableCount)
  return {
    ...storable({ writer, sequence }),
    uses: known,
    history: history && { ...history, counts: codes(history.counts) },
  }
}

/** Whether a database can hold each text that is given. */
function areStorable(...texts: readonly (string | null | undefined)[]): boolean {
  return texts.every((text) => isStorableText(text ?? ''))
}
