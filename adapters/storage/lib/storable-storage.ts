import type { HourlyCount, KeyPage, KeyStorage, UsageBatch } from '../../../src/storage/index.ts'
import {
  checkIntegers,
  checkStorableEvent,
  checkStorableRecord,
  checkStorableState,
  checkTexts,
  isHash,
  isStorableText,
} from './storable.ts'
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
  return { ...reads(storage), ...changesOfKeys(storage), ...others(storage) }
}

function reads(storage: StorableStorage) {
  return {
    findByHash: (hash, call) => (isHash(hash) ? storage.findByHash(hash, call) : null),
    findById: async (workspaceId, id, call) =>
      areStorable(workspaceId, id) ? storage.findById(workspaceId, id, call) : null,
    list: async (workspaceId, query, call) => {
      if (!areStorable(query.after)) return null
      if (!areStorable(workspaceId)) return query.after === null ? { ...EMPTY_PAGE } : null
      const { scope = '', creatorId = '', resource, ids = [] } = query
      checkTexts([scope, creatorId, resource?.type ?? '', resource?.id ?? '', ...ids])
      checkIntegers([query.notUsedAfterMs ?? 0])
      return storage.list(workspaceId, query, call)
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
    dueNotices: async (query, call) => {
      checkIntegers([query.atMs, query.limit])
      return storage.dueNotices(query, call)
    },
  } satisfies Partial<Asking>
}

function changesOfKeys(storage: StorableStorage) {
  return {
    insert: async (record, activeLimit, event, call) => {
      checkStorableRecord(record)
      checkStorableEvent(event)
      checkIntegers([activeLimit ?? 0])
      return storage.insert(record, activeLimit, event, call)
    },
    update: async (change, call) => {
      checkTexts([change.workspaceId, change.id])
      checkIntegers([change.version, change.updatedAtMs])
      checkStorableState(change.state)
      checkStorableEvent(change.event)
      return storage.update(change, call)
    },
    rotate: async (change, call) => {
      const { version, rotatedAtMs, retiresAtMs, retiringLimit } = change
      checkTexts([change.workspaceId, change.id])
      checkIntegers([version, rotatedAtMs, retiresAtMs ?? 0, retiringLimit ?? 0])
      checkStorableRecord(change.replacement)
      checkStorableEvent(change.event)
      return storage.rotate(change, call)
    },
    revoke: async (change, call) => {
      checkTexts([change.workspaceId, change.id])
      checkIntegers([change.revokedAtMs])
      checkStorableEvent(change.event)
      return storage.revoke(change, call)
    },
    revokeMany: async (change, call) => {
      checkTexts([change.workspaceId, ...change.keys.map(({ id }) => id)])
      checkIntegers([change.revokedAtMs, change.notUsedAfterMs ?? 0])
      for (const { event } of change.keys) checkStorableEvent(event)
      return storage.revokeMany(change, call)
    },
    confirm: async (workspaceId, call) =>
      areStorable(workspaceId) ? storage.confirm(workspaceId, call) : {},
    storeNotices: async (notices, call) => {
      const storable = notices.filter(({ workspaceId, id }) => areStorable(workspaceId, id))
      for (const { version, dueAtMs, nextAtMs, event } of storable) {
        checkIntegers([version, dueAtMs, nextAtMs ?? 0])
        checkStorableEvent(event)
      }
      return storage.storeNotices(storable, call)
    },
    erasePerson: async (erasure, call) => {
      checkIntegers([erasure.limit])
      if (!areStorable(erasure.personId)) return { keys: 0, events: 0, more: false }
      return storage.erasePerson(erasure, call)
    },
    eraseWorkspace: async (erasure, call) => {
      checkTexts([erasure.workspaceId])
      checkIntegers([erasure.erasedAtMs, erasure.limit])
      return storage.eraseWorkspace(erasure, call)
    },
    purge: async (limits, call) => {
      checkIntegers([limits.endedBeforeMs ?? 0, limits.eventsBeforeMs ?? 0, limits.limit])
      return storage.purge(limits, call)
    },
  } satisfies Partial<Asking>
}

function others(storage: StorableStorage) {
  return {
    addUses: async (batch, call) => storage.addUses(storableBatch(batch), call),
    claimEvents: async (claim, call) => {
      checkTexts([claim.relay])
      checkIntegers([claim.leaseMs, claim.limit])
      return storage.claimEvents({ ...claim, except: claim.except.filter(isStorableText) }, call)
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
  checkTexts([writer])
  const known = uses.filter(({ id }) => isStorableText(id))
  checkIntegers([sequence, ...known.flatMap((entry) => [entry.uses, entry.lastUsedAtMs])])
  if (known.some((entry) => entry.uses < 1)) {
    throw new StorageError('unstorable_value', 'uses to add must be at least 1')
  }
  const codes = (counts: readonly HourlyCount[]) =>
    counts.filter(({ id }) => isStorableText(id)).map(storableCount)
  return {
    ...{ writer, sequence, uses: known },
    history: history && { ...history, counts: codes(history.counts) },
  }
}

/** Whether a database can hold each text that is given. */
function areStorable(...texts: readonly (string | null | undefined)[]): boolean {
  return texts.every((text) => isStorableText(text ?? ''))
}
