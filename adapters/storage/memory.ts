/**
 * Keys in the memory of one process, for tests and for trying things out.
 *
 * @module miftah/memory
 */

import type {
  AuditEventRecord,
  ErasureOutcome,
  EventClaim,
  EventQuery,
  InsertOutcome,
  KeyPage,
  KeyPageQuery,
  KeyRecord,
  KeyStorage,
  LoggedOutcome,
  Notice,
  NoticeDue,
  NoticeQuery,
  PersonErasure,
  Purge,
  RevokeChange,
  RevokeManyChange,
  RevokeManyOutcome,
  RevokeOutcome,
  RotateChange,
  RotateOutcome,
  StoredKey,
  UpdateChange,
  UpdateOutcome,
  UsageBatch,
  UsageCounts,
  UsageHistoryBatch,
  UsageQuery,
  WorkspaceErasure,
} from '../../src/storage/index.ts'
import { refusalOf } from './lib/decision.ts'
import { type Erasable, erasePerson, eraseWorkspace, purge } from './lib/memory/erasure.ts'
import { type Changes, changedRecord, frozenEvent, frozenRecord } from './lib/memory/frozen.ts'
import { countsOf } from './lib/memory/history.ts'
import { Outbox } from './lib/memory/outbox.ts'
import { type Slot, storedKey, Workspace } from './lib/memory/workspace.ts'
import { keptAt, newestKnownDay } from './lib/usage-history.ts'

/**
 * Keeps keys in this process's memory: for tests and for trying things out. A restart forgets
 * everything, and two processes share nothing. There is nothing to close. A method rejects only when
 * a new record has the id or the hash of another key.
 *
 * @example
 * ```ts
 * import { memoryStorage } from 'miftah/memory'
 *
 * const storage = memoryStorage()
 * await storage.findById('ws_1', 'key_none') //=> null
 * ```
 */
export function memoryStorage(): KeyStorage {
  return new MemoryStorage()
}

/** Each method runs to its end without awaiting, which is what makes it atomic here. */
class MemoryStorage implements KeyStorage {
  readonly #byHash = new Map<string, Slot>()
  readonly #byId = new Map<string, Slot>()
  readonly #workspaces = new Map<string, Workspace>()
  readonly #writers = new Map<string, number>()
  readonly #outbox = new Outbox()
  /** The first hour and the first day that the last batch of uses kept. */
  #kept = { firstHour: 0, firstDay: 0 }
  /** Every day that something was counted on. */
  readonly #usedDays = new Set<number>()
  readonly #erasable: Erasable = {
    workspaces: this.#workspaces,
    outbox: this.#outbox,
    drop: ({ record }) => {
      this.#byId.delete(record.id)
      this.#byHash.delete(record.hash)
    },
  }

  findByHash(hash: string): KeyRecord | null {
    return this.#byHash.get(hash)?.record ?? null
  }

  async findById(workspaceId: string, id: string): Promise<StoredKey | null> {
    const slot = this.#slot(workspaceId, id)
    return slot === null ? null : storedKey(slot)
  }

  async insert(
    record: KeyRecord,
    activeLimit: number | null,
    event: AuditEventRecord,
  ): Promise<InsertOutcome> {
    if (this.#holds(record)) return { inserted: true }
    const workspace = this.#workspace(record.workspaceId)
    if (workspace.isErased) return { inserted: false, isErased: true }
    if (workspace.knows(record.id)) return { inserted: true }
    if (activeLimit !== null) {
      const activeKeys = workspace.countActiveKeys(record.createdAtMs)
      if (activeKeys >= activeLimit) return { inserted: false, activeKeys }
    }
    this.#add(record)
    this.#log(event)
    return { inserted: true }
  }

  async update(change: UpdateChange): Promise<UpdateOutcome> {
    const slot = this.#open(change.workspaceId, change.id)
    if (slot === null) return { outcome: 'not_found' }
    const workspace = this.#workspace(change.workspaceId)
    const refusal = refusalOf(slot.record, change, workspace.decidedAt(change.updatedAtMs))
    if (refusal !== null) {
      const isRepeat = workspace.hasEvent(change.event.id)
      return { outcome: isRepeat ? 'updated' : refusal, record: storedKey(slot) }
    }
    this.#change(slot, change.state, change.updatedAtMs)
    this.#log(change.event)
    return { outcome: 'updated', record: storedKey(slot) }
  }

  async rotate(change: RotateChange): Promise<RotateOutcome> {
    const { workspaceId, id, replacement, rotatedAtMs, retiresAtMs } = change
    const slot = this.#open(workspaceId, id)
    if (slot === null) return { outcome: 'not_found' }
    if (slot.record.replacedBy === replacement.id && this.#holds(replacement)) {
      return this.#rotated(slot, replacement)
    }
    const workspace = this.#workspace(workspaceId)
    const decidedAtMs = workspace.decidedAt(rotatedAtMs)
    const refusal = refusalOf(slot.record, change, decidedAtMs)
    if (refusal !== null) return { outcome: refusal, record: storedKey(slot) }
    const retiringKeys = workspace.retiringKeys(decidedAtMs)
    if (retiresAtMs !== null && retiringKeys >= (change.retiringLimit ?? Infinity)) {
      return { outcome: 'too_many_retiring', retiringKeys }
    }
    if (this.#holds(replacement))
      throw new Error('Another key has the id or the hash of the replacement.')
    const end = retiresAtMs === null ? { revokedAtMs: rotatedAtMs } : { retiresAtMs }
    this.#add({ ...replacement, replaces: id })
    this.#change(slot, { ...end, replacedBy: replacement.id }, rotatedAtMs)
    this.#log(change.event)
    return this.#rotated(slot, replacement)
  }

  async revoke({ workspaceId, id, revokedAtMs, event }: RevokeChange): Promise<RevokeOutcome> {
    const slot = this.#slot(workspaceId, id)
    if (slot === null) return { outcome: 'not_found' }
    if (slot.record.revokedAtMs !== null) {
      return { outcome: 'already_revoked', record: storedKey(slot) }
    }
    const { retiresAtMs } = slot.record
    const hasRetired = retiresAtMs !== null && retiresAtMs <= revokedAtMs
    this.#change(slot, { revokedAtMs: hasRetired ? retiresAtMs : revokedAtMs }, revokedAtMs)
    if (!hasRetired) this.#log(event)
    return { outcome: hasRetired ? 'already_revoked' : 'revoked', record: storedKey(slot) }
  }

  async revokeMany(change: RevokeManyChange): Promise<RevokeManyOutcome> {
    const { workspaceId, revokedAtMs, notUsedAfterMs = Infinity, keys } = change
    const revoked: string[] = []
    for (const { id, version, event } of keys) {
      const slot = this.#slot(workspaceId, id)
      if (slot === null) continue
      const { record, usage } = slot
      const lastUsedAtMs = usage.lastUsedAtMs ?? record.createdAtMs
      const isDue = record.revokedAtMs === null && record.version === version
      const outcome =
        isDue && lastUsedAtMs <= notUsedAfterMs
          ? (await this.revoke({ workspaceId, id, revokedAtMs, event })).outcome
          : null
      const isDone = this.#workspace(workspaceId).hasEvent(event.id)
      if (outcome === 'revoked' || isDone) revoked.push(id)
    }
    return { revoked }
  }

  async confirm(): Promise<LoggedOutcome> {
    return {}
  }

  async list(workspaceId: string, query: KeyPageQuery): Promise<KeyPage | null> {
    return this.#known(workspaceId).page(query)
  }

  async addUses({ writer, sequence, uses, history }: UsageBatch): Promise<void> {
    if (sequence <= (this.#writers.get(writer) ?? 0)) return
    this.#writers.set(writer, sequence)
    const nowMs = Date.now()
    if (history !== undefined) this.#addHistory(history, nowMs)
    for (const { id, uses: added, lastUsedAtMs } of uses) {
      const slot = this.#byId.get(id)
      if (slot === undefined) continue
      slot.usage = Object.freeze({
        uses: slot.usage.uses + added,
        lastUsedAtMs: latestUse(slot.usage.lastUsedAtMs, lastUsedAtMs, nowMs),
      })
    }
  }

  async usage(workspaceId: string, query: UsageQuery): Promise<UsageCounts | null> {
    const slot = query.id === null ? null : this.#slot(workspaceId, query.id)
    if (query.id !== null && slot === null) return null
    const slots = slot === null ? this.#known(workspaceId).slots : [slot]
    const histories = slots.map(({ history }) => history)
    return countsOf(histories, query, this.#kept.firstHour)
  }

  async events(
    workspaceId: string,
    query: EventQuery,
  ): Promise<readonly AuditEventRecord[] | null> {
    return this.#known(workspaceId).eventsAfter(query)
  }

  async claimEvents(claim: EventClaim): Promise<readonly AuditEventRecord[]> {
    return this.#outbox.claim(claim)
  }

  async acknowledgeEvents(relay: string, eventIds: readonly string[]): Promise<void> {
    for (const { id, workspaceId } of this.#outbox.acknowledge(relay, eventIds)) {
      const workspace = this.#workspace(workspaceId)
      if (workspace.isErased) workspace.replaceEvent(id, undefined)
    }
  }

  async dueNotices({ atMs, limit }: NoticeQuery): Promise<readonly NoticeDue[]> {
    const slots = [...this.#workspaces.values()].flatMap((workspace) => workspace.due(atMs))
    return slots
      .map(({ record, noticeAtMs }) => ({ record, dueAtMs: noticeAtMs ?? atMs }))
      .sort((one, other) => one.dueAtMs - other.dueAtMs)
      .slice(0, limit)
  }

  async storeNotices(notices: readonly Notice[]): Promise<number> {
    let stored = 0
    for (const { workspaceId, id, version, dueAtMs, nextAtMs, event } of notices) {
      const slot = this.#slot(workspaceId, id)
      if (slot?.record.version !== version || slot.noticeAtMs !== dueAtMs) continue
      this.#workspace(workspaceId).planNotice(slot, nextAtMs)
      this.#log(event)
      stored += 1
    }
    return stored
  }

  async erasePerson(erasure: PersonErasure): Promise<ErasureOutcome> {
    return erasePerson(this.#erasable, erasure)
  }

  async eraseWorkspace(erasure: WorkspaceErasure): Promise<ErasureOutcome> {
    return eraseWorkspace(this.#erasable, this.#workspace(erasure.workspaceId), erasure)
  }

  async purge(limits: Purge): Promise<ErasureOutcome> {
    return purge(this.#erasable, limits)
  }

  async releaseEvents(relay: string): Promise<void> {
    this.#outbox.release(relay)
  }

  /** Whether the record is stored already. Throws when another one has its id or its hash. */
  #holds({ id, hash }: KeyRecord): boolean {
    const slot = this.#byId.get(id)
    if (slot !== undefined && slot.record.hash === hash) return true
    if (slot !== undefined) throw new Error('Another key has this id.')
    if (this.#byHash.has(hash)) throw new Error('Another key has this hash.')
    return false
  }

  #rotated(slot: Slot, { id }: KeyRecord): RotateOutcome {
    const replacement = storedKey(this.#byId.get(id) as Slot)
    return { outcome: 'rotated', replaced: storedKey(slot), replacement }
  }

  #add(record: KeyRecord): void {
    const slot = this.#workspace(record.workspaceId).add(frozenRecord(record))
    this.#byId.set(record.id, slot)
    this.#byHash.set(record.hash, slot)
  }

  #change(slot: Slot, changes: Changes, atMs: number): void {
    const record = changedRecord(slot.record, changes, atMs)
    this.#workspace(record.workspaceId).replace(slot, record)
  }

  #addHistory({ counts, ...options }: UsageHistoryBatch, nowMs: number): void {
    const known = [...this.#usedDays].filter((day) => day <= newestKnownDay(nowMs))
    const knownDay = known.length === 0 ? null : Math.max(...known)
    const { firstHour } = this.#kept
    const kept = keptAt(nowMs, options, { firstHour, knownDay })
    for (const count of counts) {
      const history = this.#byId.get(count.id)?.history
      if (history === undefined) continue
      const hour = Math.max(kept.firstHour, Math.min(count.hour, kept.currentHour))
      history.add({ ...count, hour })
      this.#usedDays.add(Math.floor(hour / 24))
    }
    if (kept.firstHour !== this.#kept.firstHour || kept.firstDay !== this.#kept.firstDay) {
      for (const { history } of this.#byId.values()) history.forget(kept)
    }
    this.#kept = kept
  }

  #log(event: AuditEventRecord): void {
    const copy = frozenEvent(event)
    this.#workspace(event.workspaceId).log(copy)
    this.#outbox.add(copy)
  }

  #slot(workspaceId: string, id: string): Slot | null {
    const slot = this.#byId.get(id)
    return slot !== undefined && slot.record.workspaceId === workspaceId ? slot : null
  }

  /** The key, unless its workspace is being erased. */
  #open(workspaceId: string, id: string): Slot | null {
    return this.#known(workspaceId).isErased ? null : this.#slot(workspaceId, id)
  }

  /** For reading: a workspace that was never written to takes no memory. */
  #known(id: string): Workspace {
    return this.#workspaces.get(id) ?? new Workspace()
  }

  #workspace(id: string): Workspace {
    let workspace = this.#workspaces.get(id)
    if (workspace === undefined) {
      workspace = new Workspace()
      this.#workspaces.set(id, workspace)
    }
    return workspace
  }
}

/** The later of two instants. Neither counts when it is ahead of the storage's clock. */
function latestUse(beforeMs: number | null, usedAtMs: number, nowMs: number): number {
  const boundedMs = Math.min(usedAtMs, nowMs)
  return beforeMs === null || beforeMs > nowMs ? boundedMs : Math.max(beforeMs, boundedMs)
}
