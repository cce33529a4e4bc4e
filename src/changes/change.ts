import type { AuditEventRecord } from '../model/audit-event.ts'
import type { KeyRecord } from '../model/key-record.ts'
import { countsAt, statusAt } from '../model/status.ts'
import type { HeldKey, KeyWrite, WorkspaceView, WorkspaceWrite } from '../storage/contract.ts'

/** A change in one workspace. It may be decided several times, each time from what is stored by then. */
export interface Change<T> {
  /** The operation that makes it, for faults. */
  readonly operation: string
  readonly workspaceId: string
  /** The keys that the decision looks at. */
  readonly ids: readonly string[]
  /** Counts the keys of the workspace for a limit of so many. Left out: counts none. */
  readonly limit?: number | null
  /** The answer where the id or the hash of a new key is taken. Left out: that is an outage. */
  readonly ifTaken?: T
  /** Throws an `ApiKeyError` where the change cannot be made. */
  readonly decide: (workspace: Workspace) => Decision<T>
}

export interface Decision<T> {
  /** What the caller gets once `step` is stored. */
  readonly answer: T
  /** What to store; one without keys and events makes durable what was read. `null`: nothing, and nothing was read that matters. */
  readonly step: Step | null
}

export interface Changed<T> extends Decision<T> {
  /** Whether processes with a cache have to be waited for. */
  readonly isLogged: boolean
}

export interface Step {
  readonly keys: readonly KeyRecord[]
  readonly events: readonly AuditEventRecord[]
  /** How many of the keys begin to count, begin to retire, or last longer than before. Default 0. */
  readonly adds?: number
  /** How many such keys others may have stored since the view was read. Left out: any number. */
  readonly room?: number
  /** Hashes of keys that were changed before. */
  readonly seen?: readonly string[]
}

/** The step that makes durable what was read of a key: another call has changed it, which may not have been answered. */
export function confirmationOf({ hash }: KeyRecord): Step {
  return { keys: [], events: [], seen: [hash] }
}

/** A workspace as a decision sees it: as it was read, with what was decided since in the same batch. */
export interface Workspace {
  /** The clock of the process. */
  readonly atMs: number
  readonly isErased: boolean
  key(id: string): HeldKey | undefined
  /** Counted only for a change with a limit. */
  readonly activeKeys: number
  readonly retiringKeys: number
}

/** Puts the decisions of a batch into one write. */
export class Draft implements Workspace {
  atMs = 0
  readonly isErased: boolean
  activeKeys: number
  retiringKeys: number
  readonly #view: WorkspaceView
  readonly #keys: Map<string, HeldKey>
  readonly #changed = new Set<string>()
  readonly #events: AuditEventRecord[] = []
  #adds = 0
  #ifAddedAtMost = Infinity
  #isEmpty = true

  constructor(view: WorkspaceView) {
    this.#view = view
    this.isErased = view.isErased
    this.activeKeys = view.activeKeys ?? 0
    this.retiringKeys = view.retiringKeys ?? 0
    this.#keys = new Map(view.keys.map((key) => [key.record.id, key]))
  }

  key(id: string): HeldKey | undefined {
    return this.#keys.get(id)
  }

  /** Adds what a change stores; the next one is decided on top of it. */
  add({ keys, events, adds = 0, room }: Step): void {
    this.#isEmpty = false
    for (const record of keys) this.#put(record)
    this.#events.push(...events)
    this.#adds += adds
    if (room !== undefined) {
      this.#ifAddedAtMost = Math.min(this.#ifAddedAtMost, this.#view.added + room)
    }
  }

  /** The write of the whole batch; `null` where no decision stores anything. */
  writeOf(workspaceId: string): WorkspaceWrite | null {
    if (this.#isEmpty) return null
    return {
      workspaceId,
      ifAddedAtMost: this.#ifAddedAtMost === Infinity ? null : this.#ifAddedAtMost,
      adds: this.#adds,
      keys: [...this.#changed].map((id) => this.#writeOf(id)),
      events: this.#events,
    }
  }

  #put(record: KeyRecord): void {
    const before = this.#keys.get(record.id)
    if (before !== undefined) this.#count(before.record, -1)
    this.#count(record, 1)
    this.#keys.set(record.id, { ...(before ?? NEW), record })
    this.#changed.add(record.id)
  }

  #count(record: KeyRecord, by: 1 | -1): void {
    if (countsAt(record, this.atMs)) this.activeKeys += by
    else if (statusAt(record, this.atMs) === 'retiring') this.retiringKeys += by
  }

  #writeOf(id: string): KeyWrite {
    const { record, edition } = this.#keys.get(id) as HeldKey
    return { record, ifEdition: edition === 0 ? null : edition }
  }
}

/** A key that is not stored yet. */
const NEW = { usage: Object.freeze({ uses: 0, lastUsedAtMs: null }), edition: 0, place: Infinity }
