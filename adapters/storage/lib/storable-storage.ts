import type { HourlyCount, KeyStorage, UsageBatch } from '../../../src/storage/index.ts'
import { checkInteger, isHash, isStorableText, storable, storableRecord } from './storable.ts'
import { StorageError } from './storage-error.ts'
import { storableCount } from './usage-history.ts'

/** A count with its outcome as the code that a database keeps. */
export type StorableCount = ReturnType<typeof storableCount>

/** The history of a batch with the codes of outcomes. */
export interface StorableHistory {
  readonly keepDays: number
  readonly counts: readonly StorableCount[]
}

/** A batch of uses of ids that may name a key. */
export interface StorableBatch extends Omit<UsageBatch, 'history'> {
  readonly history?: StorableHistory | undefined
}

/** The methods of a storage that ask a database. */
type Asking = Omit<KeyStorage, 'changes' | 'batchKeys' | 'diagnose'>

/** What asks a database, once its arguments come back as they go in. */
export type StorableStorage = Omit<Asking, 'addUses'> & {
  readonly addUses: (
    batch: StorableBatch,
    call: Parameters<KeyStorage['addUses']>[1],
  ) => Promise<void>
}

const NO_PAGE = { keys: [], more: false }
const NO_PROGRESS = { keys: 0, events: 0, more: false }

/**
 * A storage that asks a database only for what it can hold. A text that it cannot hold names nothing in
 * it, and a driver would send another one; a value to store is refused (`unstorable_value`). Each call
 * is passed on before its method returns, so what the caller does to an argument later changes nothing.
 */
export function storableOnly(storage: StorableStorage): Asking {
  return { ...reads(storage), ...changes(storage), ...relayed(storage) }
}

function reads(storage: StorableStorage) {
  return {
    findByHash: (hash, call) => (isHash(hash) ? storage.findByHash(hash, call) : null),
    read: async ({ ids, eventIds, ...query }, call) => {
      const known = { ids: ids.filter(isStorableText), eventIds: eventIds.filter(isStorableText) }
      return storage.read(storable({ ...query, ...known }), call)
    },
    list: async (workspaceId, query, call) => {
      if (areStorable(workspaceId)) return storage.list(workspaceId, storable(query), call)
      const none = query.countUpTo === null ? null : 0
      return { ...NO_PAGE, activeKeys: none, total: query.after === null ? none : null }
    },
    usage: async (workspaceId, query, call) => {
      if (areStorable(workspaceId, query.id))
        return storage.usage(workspaceId, storable(query), call)
      return query.id === null ? [] : null
    },
    events: async (workspaceId, query, call) =>
      areStorable(workspaceId, query.keyId)
        ? storage.events(workspaceId, storable(query), call)
        : { events: [], last: null },
    due: async (query, call) => storage.due(storable(query), call),
    keysOfPerson: async (query, call) =>
      areStorable(query.personId) ? storage.keysOfPerson(storable(query), call) : [],
  } satisfies Partial<Asking>
}

function changes(storage: StorableStorage) {
  return {
    write: async (writes, call) => {
      for (const { keys } of writes) for (const { record } of keys) storableRecord(record)
      return storage.write(storable(writes), call)
    },
    addUses: async (batch, call) => storage.addUses(storableBatch(batch), call),
    renameActor: async (query, call) =>
      areStorable(query.personId) ? storage.renameActor(storable(query), call) : NO_PROGRESS,
    closeWorkspace: async (workspaceId, call) =>
      storage.closeWorkspace(storable(workspaceId), call),
    deleteWorkspace: async (deletion, call) =>
      areStorable(deletion.workspaceId)
        ? storage.deleteWorkspace(storable(deletion), call)
        : NO_PROGRESS,
    purge: async (limits, call) => storage.purge(storable(limits), call),
  } satisfies Partial<Asking>
}

function relayed(storage: StorableStorage) {
  return {
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
    history: history && { keepDays: history.keepDays, counts: codes(history.counts) },
  }
}

/** Whether a database can hold each text that is given. */
function areStorable(...texts: readonly (string | null | undefined)[]): boolean {
  return texts.every((text) => isStorableText(text ?? ''))
}
