import {
  type AuditEventRecord,
  ERASED_PERSON,
  type ErasureOutcome,
  type KeyRecord,
  type PersonErasure,
  type Purge,
  statusAt,
  type WorkspaceErasure,
} from '../../../../src/storage/index.ts'
import { type Changes, changedRecord, frozenEvent } from './frozen.ts'
import type { Outbox } from './outbox.ts'
import type { Slot, Workspace } from './workspace.ts'

/** What erasing works on. */
export interface Erasable {
  readonly workspaces: ReadonlyMap<string, Workspace>
  readonly outbox: Outbox
  /** Forgets a key that is deleted. */
  readonly drop: (slot: Slot) => void
}

function withoutPerson(record: KeyRecord, personId: string): KeyRecord {
  const { creator, pausedBy, updatedAtMs } = record
  const changes: Changes = {
    ...(creator.id === personId && { creator: ERASED_PERSON }),
    ...(pausedBy?.id === personId && { pausedBy: ERASED_PERSON }),
  }
  return changedRecord(record, changes, updatedAtMs)
}

/** See `KeyStorage.erasePerson`. */
export function erasePerson(
  { workspaces, outbox }: Erasable,
  { personId, limit }: PersonErasure,
): ErasureOutcome {
  const count = new Count(limit)
  for (const workspace of workspaces.values()) {
    for (const slot of workspace.slots) {
      const { creator, pausedBy } = slot.record
      if (creator.id !== personId && pausedBy?.id !== personId) continue
      if (count.takesKey()) workspace.replace(slot, withoutPerson(slot.record, personId))
    }
    for (const event of workspace.events) {
      if (event.actor.id !== personId || !count.takesEvent()) continue
      const erased: AuditEventRecord = frozenEvent({ ...event, actor: ERASED_PERSON })
      workspace.replaceEvent(event.id, erased)
      outbox.replace(erased)
    }
  }
  return count.outcome
}

/** See `KeyStorage.eraseWorkspace`. */
export function eraseWorkspace(
  { outbox, drop }: Erasable,
  workspace: Workspace,
  { limit }: WorkspaceErasure,
): ErasureOutcome {
  const count = new Count(limit)
  workspace.isErased = true
  for (const slot of workspace.slots) {
    if (!count.takesKey()) break
    workspace.remove(slot)
    drop(slot)
  }
  for (const event of workspace.events) {
    if (!outbox.has(event.id) && count.takesEvent()) workspace.replaceEvent(event.id, undefined)
  }
  workspace.forgetDeleted()
  return count.outcome
}

/** See `KeyStorage.purge`. */
export function purge({ workspaces, outbox, drop }: Erasable, limits: Purge): ErasureOutcome {
  const { endedBeforeMs, eventsBeforeMs, limit } = limits
  const count = new Count(limit)
  const nowMs = Date.now()
  const endedBefore = Math.min(endedBeforeMs ?? -Infinity, nowMs)
  for (const workspace of workspaces.values()) {
    for (const slot of workspace.slots) {
      const isOver = slot.record.format === null && hasEndedBefore(slot.record, endedBefore)
      if (!isOver || !count.takesKey()) continue
      workspace.remove(slot)
      drop(slot)
    }
    for (const event of workspace.events) {
      if (event.atMs >= Math.min(eventsBeforeMs ?? -Infinity, nowMs)) continue
      if (!outbox.has(event.id) && count.takesEvent()) workspace.replaceEvent(event.id, undefined)
    }
  }
  return count.outcome
}

/** Whether a key had stopped for good when the instant came. */
function hasEndedBefore(record: KeyRecord, instantMs: number): boolean {
  const { revokedAtMs } = record
  if (revokedAtMs !== null && revokedAtMs < instantMs) return true
  const status = statusAt({ ...record, revokedAtMs: null }, instantMs - 1)
  return status === 'revoked' || status === 'expired'
}

/** Counts what a step does, up to its limit. */
class Count {
  readonly #limit: number
  #keys = 0
  #events = 0
  #more = false

  constructor(limit: number) {
    this.#limit = limit
  }

  takesKey(): boolean {
    const takes = this.#keys < this.#limit
    if (takes) this.#keys += 1
    else this.#more = true
    return takes
  }

  takesEvent(): boolean {
    const takes = this.#events < this.#limit
    if (takes) this.#events += 1
    else this.#more = true
    return takes
  }

  get outcome(): ErasureOutcome {
    return { keys: this.#keys, events: this.#events, more: this.#more }
  }
}
