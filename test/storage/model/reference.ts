import type { DefaultScope, Entitlements, Environment, Person } from '../../../src/index.ts'

/** A key as the reference knows it. `secret` is `null` when its answer was lost on the way. */
export interface ModelKey {
  readonly id: string
  readonly workspaceId: string
  readonly name: string
  readonly environment: Environment
  readonly scopes: readonly DefaultScope[]
  readonly creator: Person
  readonly createdAtMs: number
  readonly replaces: string | null
  readonly secret: string | null
  replacedBy: string | null
  revokedAtMs: number | null
  uses: number
  lastUsedAtMs: number | null
}

type Tally = Map<string, { uses: number; lastUsedAtMs: number }>

/**
 * What keys should do, in plain lists and maps, one call at a time. It shares no code with the
 * library: where the two part, one of them is wrong.
 */
export class Reference {
  readonly ttlMs: number
  nowMs = Date.UTC(2026, 0, 1)
  /** The time that has passed, whatever the clock says. */
  passedMs = 0
  /** Oldest first. */
  readonly keys: ModelKey[] = []
  readonly events: { workspaceId: string; type: string; keyId: string }[] = []
  readonly plans = new Map<string, Entitlements>()
  readonly #remembered = new Map<string, { plan: Entitlements; askedAtMs: number }>()
  #counted: Tally = new Map()
  /** The batch that may not have been stored, and whether it was after all. */
  #pending: { tally: Tally; stored: boolean } | null = null

  constructor(ttlMs: number) {
    this.ttlMs = ttlMs
  }

  planOf(workspaceId: string): Entitlements {
    return this.plans.get(workspaceId) ?? { publicApi: true, activeKeyLimit: 3 }
  }

  /** Asks the host now, and remembers. */
  ask(workspaceId: string): Entitlements {
    const plan = this.planOf(workspaceId)
    this.#remembered.set(workspaceId, { plan, askedAtMs: this.passedMs })
    return plan
  }

  /** What is remembered, or else asked. */
  remembered(workspaceId: string): Entitlements {
    const known = this.#remembered.get(workspaceId)
    const isFresh = known !== undefined && this.passedMs - known.askedAtMs < this.ttlMs
    return isFresh ? known.plan : this.ask(workspaceId)
  }

  forget(): void {
    this.#remembered.clear()
  }

  find(workspaceId: string, id: string): ModelKey | undefined {
    return this.keys.find((key) => key.id === id && key.workspaceId === workspaceId)
  }

  of(workspaceId: string): ModelKey[] {
    return this.keys.filter((key) => key.workspaceId === workspaceId)
  }

  active(workspaceId: string): number {
    return this.of(workspaceId).filter(({ revokedAtMs }) => revokedAtMs === null).length
  }

  add(key: Omit<ModelKey, 'uses' | 'lastUsedAtMs' | 'replacedBy' | 'revokedAtMs' | 'createdAtMs'>) {
    const fresh = { uses: 0, lastUsedAtMs: null, replacedBy: null, revokedAtMs: null }
    this.keys.push({ ...key, ...fresh, createdAtMs: this.nowMs })
  }

  log(key: { workspaceId: string; id: string }, type: string): void {
    this.events.push({ workspaceId: key.workspaceId, type, keyId: key.id })
  }

  revoke(key: ModelKey, replacedBy: string | null): void {
    key.revokedAtMs = this.nowMs
    key.replacedBy = replacedBy
  }

  count(id: string): void {
    const before = this.#counted.get(id)
    const lastUsedAtMs = Math.max(before?.lastUsedAtMs ?? this.nowMs, this.nowMs)
    this.#counted.set(id, { uses: (before?.uses ?? 0) + 1, lastUsedAtMs })
  }

  /** Whether a flush would send anything. */
  get hasUses(): boolean {
    return this.#pending !== null || this.#counted.size > 0
  }

  /** A flush that failed: `stored` says whether the storage has the first batch after all. */
  flushFails(stored: boolean): void {
    this.#pending ??= { tally: this.#take(), stored: false }
    if (stored) this.#store(this.#pending)
  }

  flush(): void {
    if (this.#pending !== null) this.#store(this.#pending)
    this.#pending = null
    this.#store({ tally: this.#take(), stored: false })
  }

  #take(): Tally {
    const tally = this.#counted
    this.#counted = new Map()
    return tally
  }

  #store(batch: { tally: Tally; stored: boolean }): void {
    if (batch.stored) return
    batch.stored = true
    for (const key of this.keys) {
      const more = batch.tally.get(key.id)
      if (more === undefined) continue
      key.uses += more.uses
      key.lastUsedAtMs = Math.max(key.lastUsedAtMs ?? more.lastUsedAtMs, more.lastUsedAtMs)
    }
  }
}
