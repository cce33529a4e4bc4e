import { isDeepStrictEqual } from 'node:util'
import type {
  DefaultScope,
  Entitlements,
  Environment,
  KeyStatus,
  Person,
} from '../../../src/index.ts'

/** A key as the reference knows it. `secret` is `null` when its answer was lost on the way. */
export interface ModelKey {
  readonly id: string
  readonly workspaceId: string
  readonly environment: Environment
  scopes: readonly DefaultScope[]
  creator: Person
  readonly createdAtMs: number
  readonly replaces: string | null
  readonly secret: string | null
  expiresAtMs: number | null
  metadata: Readonly<Record<string, string>>
  readonly note: null
  readonly resources: object
  readonly networks: 'any'
  name: string
  version: number
  updatedAtMs: number
  pausedAtMs: number | null
  pausedBy: Person | null
  retiresAtMs: number | null
  replacedBy: string | null
  revokedAtMs: number | null
  uses: number
  lastUsedAtMs: number | null
}

/** What an update may name. */
export interface Edit {
  readonly name?: string
  readonly scopes?: readonly DefaultScope[]
  /** Entries to set, or to remove with `null`. */
  readonly metadata?: Readonly<Record<string, string | null>>
  /** When the key expires, from now; `null` for never. */
  readonly lifetimeMs?: number | null
}

/** What a new key says of itself; the rest is the same for all. */
export interface NewKey
  extends Pick<
    ModelKey,
    'id' | 'workspaceId' | 'name' | 'environment' | 'scopes' | 'creator' | 'replaces' | 'secret'
  > {
  readonly metadata?: ModelKey['metadata']
  readonly expiresAtMs?: number | null
  readonly pausedAtMs?: number | null
  readonly pausedBy?: Person | null
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
  readonly erased = new Set<string>()
  /** By workspace, the latest end of a key that did not count any more when keys were counted. */
  readonly #expiredTo = new Map<string, number>()
  readonly #remembered = new Map<string, { plan: Entitlements; askedAtMs: number }>()
  #counted: Tally = new Map()
  #hasDenials = false
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
    const counts = (key: ModelKey) => ['active', 'paused'].includes(this.statusOf(key))
    return this.of(workspaceId).filter(counts).length
  }

  /** Counts the active keys for a new one. What has expired by then stays expired. */
  countActive(workspaceId: string): number {
    const atMs = this.#decidedMs(workspaceId)
    const statuses = this.of(workspaceId).map((key) => [key, this.statusOf(key, atMs)] as const)
    for (const [{ expiresAtMs }, status] of statuses) {
      if (status !== 'expired') continue
      const earlier = this.#expiredTo.get(workspaceId) ?? Number.NEGATIVE_INFINITY
      this.#expiredTo.set(workspaceId, Math.max(earlier, Number(expiresAtMs)))
    }
    return statuses.filter(([, status]) => ['active', 'paused'].includes(status)).length
  }

  /** Whether a key has expired for a change, also when the clock was set back since. */
  hasExpired(key: ModelKey): boolean {
    return this.statusOf(key, this.#decidedMs(key.workspaceId)) === 'expired'
  }

  retiring(workspaceId: string): number {
    const atMs = this.#decidedMs(workspaceId)
    return this.of(workspaceId).filter((key) => this.statusOf(key, atMs) === 'retiring').length
  }

  #decidedMs(workspaceId: string): number {
    return Math.max(this.nowMs, this.#expiredTo.get(workspaceId) ?? this.nowMs)
  }

  statusOf(
    { revokedAtMs, retiresAtMs, expiresAtMs, pausedAtMs }: ModelKey,
    atMs = this.nowMs,
  ): KeyStatus {
    const ended = (endMs: number | null) => atMs >= (endMs ?? Number.POSITIVE_INFINITY)
    if (revokedAtMs !== null || ended(retiresAtMs)) return 'revoked'
    if (ended(expiresAtMs)) return 'expired'
    if (pausedAtMs !== null) return 'paused'
    return retiresAtMs !== null ? 'retiring' : 'active'
  }

  add(key: NewKey) {
    const pause = { pausedAtMs: null, pausedBy: null }
    const fresh = { uses: 0, lastUsedAtMs: null, version: 1, metadata: {}, expiresAtMs: null }
    const unrestricted = { note: null, resources: {}, networks: 'any' } as const
    const links = { replacedBy: null, revokedAtMs: null, retiresAtMs: null, format: null }
    const made = { createdAtMs: this.nowMs, updatedAtMs: this.nowMs }
    this.keys.push({ ...fresh, ...unrestricted, ...pause, ...links, ...made, ...key })
  }

  log(key: { workspaceId: string; id: string }, type: string): void {
    this.events.push({ workspaceId: key.workspaceId, type, keyId: key.id })
  }

  /** A change of a key: every one counts. */
  change(key: ModelKey, change: Partial<ModelKey>): void {
    Object.assign(key, change, { version: key.version + 1, updatedAtMs: this.nowMs })
  }

  /** What an update changes in a key; `null` for nothing. */
  edited(
    key: ModelKey,
    { name, scopes, metadata, lifetimeMs }: Edit,
  ): Pick<ModelKey, 'name' | 'scopes' | 'metadata' | 'expiresAtMs'> | null {
    const entries = Object.entries({ ...key.metadata, ...metadata })
    const kept = entries.filter((entry): entry is [string, string] => entry[1] !== null)
    const after = {
      name: name ?? key.name,
      scopes: scopes ?? key.scopes,
      metadata: Object.fromEntries(kept),
      expiresAtMs: key.expiresAtMs,
    }
    if (lifetimeMs === null) after.expiresAtMs = null
    if (typeof lifetimeMs === 'number') after.expiresAtMs = this.nowMs + lifetimeMs
    const before = (({ name, scopes, metadata, expiresAtMs }) => ({
      ...{ name, scopes, metadata, expiresAtMs },
    }))(key)
    return isDeepStrictEqual(after, before) ? null : after
  }

  /** Revokes a key; answers whether it was an event, or its overlap was over. */
  revoke(key: ModelKey): boolean {
    const isOver = this.statusOf(key) === 'revoked'
    this.change(key, { revokedAtMs: isOver ? key.retiresAtMs : this.nowMs })
    return !isOver
  }

  /** Puts somebody else in the place of a person; answers how many keys it was about. */
  rename(personId: string, other: Person): number {
    const isThem = (person: Person | null) => person?.id === personId
    const theirs = this.keys.filter((key) => isThem(key.creator) || isThem(key.pausedBy))
    for (const key of theirs) {
      if (isThem(key.creator)) key.creator = other
      if (isThem(key.pausedBy)) key.pausedBy = other
      key.version += 1
    }
    return theirs.length
  }

  /** Deletes the keys of a workspace, which stays closed. Its events await delivery, so they stay. */
  erase(workspaceId: string): number {
    this.erased.add(workspaceId)
    const left = this.keys.filter((key) => key.workspaceId !== workspaceId)
    return this.keys.splice(0, this.keys.length, ...left).length - left.length
  }

  /** Deletes the keys that ended before an instant; answers how many. */
  purge(beforeMs: number): number {
    const ends = (key: ModelKey) => [key.revokedAtMs, key.retiresAtMs, key.expiresAtMs]
    const hasEnded = (key: ModelKey) => ends(key).some((end) => end !== null && end < beforeMs)
    const left = this.keys.filter((key) => !hasEnded(key))
    return this.keys.splice(0, this.keys.length, ...left).length - left.length
  }

  replace(key: ModelKey, replacedBy: string, overlapMs: number): void {
    const endMs = Math.min(this.nowMs + overlapMs, key.expiresAtMs ?? Number.POSITIVE_INFINITY)
    const end = overlapMs === 0 ? { revokedAtMs: this.nowMs } : { retiresAtMs: endMs }
    this.change(key, { ...end, replacedBy })
  }

  count(id: string): void {
    const before = this.#counted.get(id)
    const lastUsedAtMs = Math.max(before?.lastUsedAtMs ?? this.nowMs, this.nowMs)
    this.#counted.set(id, { uses: (before?.uses ?? 0) + 1, lastUsedAtMs })
  }

  /** A refusal of a known key changes no use, but its history has to be stored. */
  countDenial(): void {
    this.#hasDenials = true
  }

  /** Whether a flush would send anything. */
  get hasCounts(): boolean {
    return this.#pending !== null || this.#counted.size > 0 || this.#hasDenials
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
    this.#hasDenials = false
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
