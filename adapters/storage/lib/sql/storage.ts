import type { StorageCall } from '../../../../src/storage/index.ts'
import type { StorableStorage } from '../storable-storage.ts'
import { erasePerson, eraseWorkspace, purge } from './erasure.ts'
import * as events from './events.ts'
import * as keys from './keys.ts'
import { dueNotices, storeNotices } from './notices.ts'
import type { SqlStatements } from './statements.ts'
import { addUses, usage } from './usage.ts'
import type { Work } from './work.ts'

type Read = <T>(work: (sql: SqlStatements) => Work<T>, call: StorageCall | undefined) => Promise<T>

/** How a database runs work. */
export interface SqlRunner {
  /** Runs a read of one statement. */
  readonly read: Read
  /** Runs several reads on one snapshot. */
  readonly together: Read
  /**
   * Runs a change as one atomic step, with a lock that keeps other changes of the workspace out. The work
   * learns how long it has waited, in milliseconds.
   */
  readonly change: <T>(
    work: (sql: SqlStatements, waitedMs: number) => Work<T>,
    call: StorageCall | undefined,
    of: ChangeOf,
  ) => Promise<T>
  /** The clock of the database, in milliseconds since the epoch: a number, or what work may yield for it. */
  readonly nowMs: () => unknown
}

/** What a change concerns: one workspace, or something else in a lane of its own. */
export type ChangeOf =
  | { readonly workspaceId: string }
  | { readonly lane: 'usage' | 'relay' | 'notices' | 'erasure' }

const USAGE: ChangeOf = { lane: 'usage' }
const RELAY: ChangeOf = { lane: 'relay' }
const NOTICES: ChangeOf = { lane: 'notices' }
const ERASURE: ChangeOf = { lane: 'erasure' }

/** A storage on a database that runs work; `findByHash` is worth a way of its own. */
export function storageOn(runner: SqlRunner): Omit<StorableStorage, 'findByHash'> {
  const { read, together, change, nowMs } = runner
  return {
    insert: (record, activeLimit, event, call) =>
      change(
        (sql, waitedMs) => keys.insert(sql, { record, activeLimit, event }, waitedMs),
        call,
        record,
      ),
    findById: (workspaceId, id, call) => read((sql) => keys.findById(sql, workspaceId, id), call),
    list: (workspaceId, query, call) => together((sql) => keys.list(sql, workspaceId, query), call),
    update: (update, call) =>
      change((sql, waitedMs) => keys.update(sql, update, waitedMs), call, update),
    rotate: (rotation, call) =>
      change((sql, waitedMs) => keys.rotate(sql, rotation, waitedMs), call, rotation),
    revoke: (revocation, call) =>
      change((sql, waitedMs) => keys.revoke(sql, revocation, waitedMs), call, revocation),
    revokeMany: (revocations, call) =>
      change((sql, waitedMs) => keys.revokeMany(sql, revocations, waitedMs), call, revocations),
    confirm: (workspaceId, call) => change(keys.confirm, call, { workspaceId }),
    addUses: (batch, call) => change((sql) => addUses(sql, batch, nowMs), call, USAGE),
    usage: (workspaceId, query, call) => together((sql) => usage(sql, workspaceId, query), call),
    events: (workspaceId, query, call) =>
      together((sql) => events.events(sql, workspaceId, query), call),
    claimEvents: async (claim, call) =>
      (await read((sql) => events.anyPending(sql, claim), call))
        ? change((sql) => events.claimEvents(sql, claim), call, RELAY)
        : [],
    acknowledgeEvents: (relay, ids, call) =>
      change((sql) => events.acknowledgeEvents(sql, relay, ids), call, RELAY),
    releaseEvents: (relay, call) => change((sql) => events.releaseEvents(sql, relay), call, RELAY),
    dueNotices: (query, call) => read((sql) => dueNotices(sql, query), call),
    storeNotices: (notices, call) => change((sql) => storeNotices(sql, notices), call, NOTICES),
    erasePerson: (erasure, call) => change((sql) => erasePerson(sql, erasure), call, ERASURE),
    eraseWorkspace: (erasure, call) => change((sql) => eraseWorkspace(sql, erasure), call, erasure),
    purge: (limits, call) => change((sql) => purge(sql, limits), call, ERASURE),
  }
}
