import type { StorageCall } from '../../../../src/storage/index.ts'
import type { StorableStorage } from '../storable-storage.ts'
import type { Dialect } from './dialect.ts'
import * as erasure from './erasure.ts'
import * as events from './events.ts'
import * as keys from './keys.ts'
import { addUses, usage } from './usage.ts'
import type { Work } from './work.ts'

type Run = <T>(work: () => Work<T>, call: StorageCall | undefined) => Promise<T>

/** How a database runs work. */
export interface SqlRunner {
  /** Runs reads; several of them on one snapshot, or the first of them first. */
  readonly read: Run
  /** Runs a change as one transaction, durable when it answers. */
  readonly change: Run
}

/** A storage on a database that runs work; each has a `write` of its own. */
export function storageOn(
  of: Dialect,
  { read, change }: SqlRunner,
): Omit<StorableStorage, 'write'> {
  return {
    findByHash: (hash, call) => read(() => keys.findByHash(of, hash), call),
    read: (query, call) => read(() => keys.read(of, query), call),
    list: (workspaceId, query, call) => read(() => keys.list(of, workspaceId, query), call),
    due: (query, call) => read(() => keys.due(of, query), call),
    keysOfPerson: (query, call) => read(() => keys.keysOfPerson(of, query), call),
    addUses: (batch, call) => change(() => addUses(of, batch), call),
    usage: (workspaceId, query, call) => read(() => usage(of, workspaceId, query), call),
    events: (workspaceId, query, call) => read(() => events.events(of, workspaceId, query), call),
    claimEvents: async (claim, call) =>
      (await read(() => events.anyPending(of, claim), call))
        ? change(() => events.claimEvents(of, claim), call)
        : [],
    acknowledgeEvents: (relay, ids, call) =>
      change(() => events.acknowledgeEvents(of, relay, ids), call),
    releaseEvents: (relay, call) => change(() => events.releaseEvents(of, relay), call),
    renameActor: (query, call) => change(() => events.renameActor(of, query), call),
    closeWorkspace: (workspaceId, call) =>
      change(() => erasure.closeWorkspace(of, workspaceId), call),
    deleteWorkspace: (deletion, call) => change(() => erasure.deleteWorkspace(of, deletion), call),
    purge: (limits, call) => change(() => erasure.purge(of, limits), call),
  }
}
