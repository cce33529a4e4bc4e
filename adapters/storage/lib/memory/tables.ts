import type {
  AuditEventRecord,
  HeldKey,
  HourlyTotal,
  KeyRecord,
  KeyUsage,
  Progress,
  WorkspaceWrite,
} from '../../../../src/storage/index.ts'
import { frozenCopy } from '../frozen-copy.ts'

/** A key. `record` and `usage` are replaced, never changed. */
export interface Slot {
  record: KeyRecord
  usage: KeyUsage
  edition: number
  writtenAtMs: number
  readonly place: number
  readonly history: Map<string, HourlyTotal>
}

export interface LoggedEvent {
  event: AuditEventRecord
  readonly place: number
  readonly writtenAtMs: number
}

/** Keys and events are in the order of their places. */
export interface Workspace {
  isErased: boolean
  added: number
  revision: number
  readonly keys: Map<string, Slot>
  readonly events: Map<string, LoggedEvent>
}

const NO_USAGE: KeyUsage = Object.freeze({ uses: 0, lastUsedAtMs: null })

export class Tables {
  readonly workspaces = new Map<string, Workspace>()
  readonly byId = new Map<string, Slot>()
  readonly byHash = new Map<string, Slot>()
  /** The events that no relay has acknowledged, the oldest first. */
  readonly pending = new Map<string, LoggedEvent>()
  /** By the names of {@link claimsOf}, the id of the key that has them. */
  readonly #taken = new Map<string, string>()

  /** For reading: a workspace that was never written takes no memory. */
  known(id: string): Workspace {
    const none = { isErased: false, added: 0, revision: 0, keys: new Map(), events: new Map() }
    return this.workspaces.get(id) ?? none
  }

  workspace(id: string): Workspace {
    const workspace = this.known(id)
    this.workspaces.set(id, workspace)
    return workspace
  }

  mayStore(write: WorkspaceWrite): boolean {
    const workspace = this.known(write.workspaceId)
    if (workspace.added > (write.ifAddedAtMost ?? Infinity)) return false
    const claims = claimsOf(write)
    return (
      new Set(claims.map(([name]) => name)).size === claims.length &&
      claims.every(([name, keyId]) => (this.#taken.get(name) ?? keyId) === keyId) &&
      write.events.every(({ id }) => !this.#taken.has(`event ${id}`)) &&
      write.keys.every(({ record, ifEdition }) => {
        if (ifEdition === null) return !workspace.isErased && !this.#taken.has(`id ${record.id}`)
        const slot = workspace.keys.get(record.id)
        if (slot?.edition !== ifEdition) return false
        return [null, record.revokedAtMs].includes(slot.record.revokedAtMs)
      })
    )
  }

  store(write: WorkspaceWrite): void {
    const { workspaceId, adds, keys, events } = write
    const workspace = this.workspace(workspaceId)
    const writtenAtMs = Date.now()
    for (const [index, { record }] of keys.entries()) {
      const slot = this.#slot(workspace, record, workspace.revision + index + 1)
      this.byHash.delete(slot.record.hash)
      slot.record = frozenCopy({ ...record, workspaceId })
      slot.edition += 1
      slot.writtenAtMs = writtenAtMs
      this.byHash.set(record.hash, slot)
    }
    for (const [index, event] of events.entries()) {
      const copy = frozenCopy({ ...event, workspaceId })
      const logged = { event: copy, place: workspace.revision + index + 1, writtenAtMs }
      workspace.events.set(event.id, logged)
      this.pending.set(event.id, logged)
    }
    for (const [name, keyId] of claimsOf(write)) this.#taken.set(name, keyId)
    workspace.added += adds
    workspace.revision += Math.max(1, keys.length, events.length)
  }

  /** Deletes keys, and when none are left, events that are acknowledged. */
  delete(
    workspaces: readonly Workspace[],
    limit: number,
    is: { readonly key: (slot: Slot) => boolean; readonly event: (logged: LoggedEvent) => boolean },
  ): Progress {
    const keys = workspaces.flatMap((workspace) => [...workspace.keys.values()].filter(is.key))
    for (const slot of keys.slice(0, limit)) this.#drop(slot)
    if (keys.length > limit) return { keys: limit, events: 0, more: true }
    const events = workspaces
      .flatMap((workspace) => [...workspace.events.values()].filter(is.event))
      .filter(({ event }) => !this.pending.has(event.id))
    for (const { event } of events.slice(0, limit)) {
      this.known(event.workspaceId).events.delete(event.id)
    }
    const { length } = events
    return { keys: keys.length, events: Math.min(length, limit), more: length > limit }
  }

  #slot({ keys }: Workspace, record: KeyRecord, place: number): Slot {
    const known = keys.get(record.id)
    if (known !== undefined) return known
    const slot = { record, usage: NO_USAGE, edition: 0, writtenAtMs: 0, place, history: new Map() }
    keys.set(record.id, slot)
    this.byId.set(record.id, slot)
    return slot
  }

  /** The id stays taken, so that a write that was refused is never stored. */
  #drop({ record }: Slot): void {
    this.known(record.workspaceId).keys.delete(record.id)
    this.byId.delete(record.id)
    this.byHash.delete(record.hash)
    this.#taken.delete(`hash ${record.hash}`)
    this.#taken.delete(`replaces ${record.replaces}`)
  }
}

export function held({ record, usage, edition, place }: Slot): HeldKey {
  return { record, usage, edition, place }
}

/** The ids, hashes and `replaces` that nobody else may have, each with its key. */
function claimsOf({ keys, events }: WorkspaceWrite): readonly (readonly [string, string])[] {
  return [
    ...keys.flatMap(({ record: { id, hash, replaces } }) => [
      [`id ${id}`, id] as const,
      [`hash ${hash}`, id] as const,
      ...(replaces === null ? [] : [[`replaces ${replaces}`, id] as const]),
    ]),
    ...events.map(({ id, keyId }) => [`event ${id}`, keyId] as const),
  ]
}
