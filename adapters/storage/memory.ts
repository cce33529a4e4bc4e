/**
 * Keys in the memory of one process, for tests and for trying things out.
 *
 * @module miftah/memory
 */

import type {
  AuditEventRecord,
  EventClaim,
  EventQuery,
  InsertOutcome,
  KeyPage,
  KeyPageQuery,
  KeyRecord,
  KeyStorage,
  RevokeChange,
  RevokeOutcome,
  RotateChange,
  RotateOutcome,
  UsageBatch,
} from '../../src/storage/index.ts'
import { type Changes, changedRecord, frozenEvent, frozenRecord } from './lib/memory/frozen.ts'
import { HashIndex } from './lib/memory/hash-index.ts'
import { Outbox } from './lib/memory/outbox.ts'
import { type Slot, Workspace } from './lib/memory/workspace.ts'

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
  readonly #byHash = new HashIndex()
  readonly #byId = new Map<string, Slot>()
  readonly #workspaces = new Map<string, Workspace>()
  readonly #writers = new Map<string, number>()
  readonly #outbox = new Outbox()

  findByHash(hash: string): KeyRecord | null {
    return this.#byHash.find(hash)
  }

  async findById(workspaceId: string, id: string): Promise<KeyRecord | null> {
    return this.#slot(workspaceId, id)?.record ?? null
  }

  async insert(
    record: KeyRecord,
    activeLimit: number | null,
    event: AuditEventRecord,
  ): Promise<InsertOutcome> {
    if (this.#holds(record)) return { inserted: true }
    const workspace = this.#workspace(record.workspaceId)
    const { activeKeys } = workspace
    if (activeLimit !== null && activeKeys >= activeLimit) return { inserted: false, activeKeys }
    this.#add(record)
    this.#log(event)
    return { inserted: true }
  }

  async rotate(change: RotateChange): Promise<RotateOutcome> {
    const { workspaceId, id, replacement } = change
    const slot = this.#slot(workspaceId, id)
    if (slot === null) return { outcome: 'not_found' }
    if (slot.record.replacedBy === replacement.id && this.#holds(replacement)) {
      return { outcome: 'rotated', replaced: slot.record, replacement: this.#stored(replacement) }
    }
    if (slot.record.revokedAtMs !== null) return { outcome: 'already_revoked' }
    if (this.#holds(replacement)) throw new Error('The replacement is a key already.')
    this.#add({ ...replacement, replaces: id })
    this.#change(slot, { revokedAtMs: change.revokedAtMs, replacedBy: replacement.id })
    this.#log(change.event)
    return { outcome: 'rotated', replaced: slot.record, replacement: this.#stored(replacement) }
  }

  async revoke({ workspaceId, id, revokedAtMs, event }: RevokeChange): Promise<RevokeOutcome> {
    const slot = this.#slot(workspaceId, id)
    if (slot === null) return { outcome: 'not_found' }
    if (slot.record.revokedAtMs !== null) {
      return { outcome: 'already_revoked', record: slot.record }
    }
    this.#change(slot, { revokedAtMs })
    this.#log(event)
    return { outcome: 'revoked', record: slot.record }
  }

  async list(workspaceId: string, query: KeyPageQuery): Promise<KeyPage | null> {
    return this.#known(workspaceId).page(query)
  }

  async addUses({ writer, sequence, uses }: UsageBatch): Promise<void> {
    if (sequence <= (this.#writers.get(writer) ?? 0)) return
    this.#writers.set(writer, sequence)
    const nowMs = Date.now()
    for (const { id, uses: added, lastUsedAtMs } of uses) {
      const slot = this.#byId.get(id)
      if (slot === undefined) continue
      this.#change(slot, {
        uses: slot.record.uses + added,
        lastUsedAtMs: latestUse(slot.record.lastUsedAtMs, lastUsedAtMs, nowMs),
      })
    }
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

  async settleEvents(relay: string, eventIds: readonly string[]): Promise<void> {
    this.#outbox.settle(relay, eventIds)
  }

  async releaseEvents(relay: string): Promise<void> {
    this.#outbox.release(relay)
  }

  /** Whether the record is stored already. Throws when another one has its id or its hash. */
  #holds({ id, hash }: KeyRecord): boolean {
    const slot = this.#byId.get(id)
    if (slot !== undefined && slot.record.hash === hash) return true
    if (slot !== undefined) throw new Error('Another key has this id.')
    if (this.#byHash.find(hash) !== null) throw new Error('Another key has this hash.')
    return false
  }

  #stored(record: KeyRecord): KeyRecord {
    return this.#byId.get(record.id)?.record ?? record
  }

  #add(record: KeyRecord): void {
    const slot = this.#workspace(record.workspaceId).add(frozenRecord(record))
    this.#byId.set(record.id, slot)
    this.#byHash.set(slot.record)
  }

  #change(slot: Slot, change: Changes): void {
    const record = changedRecord(slot.record, change)
    this.#workspace(record.workspaceId).replace(slot, record)
    this.#byHash.set(record)
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
