import {
  type AuditEventRecord,
  countsAt,
  type EventQuery,
  type KeyPage,
  type KeyPageQuery,
  type KeyRecord,
  type KeyUsage,
  nextNoticeAt,
  type ResourceFilter,
  type StoredKey,
  statusAt,
} from '../../../../src/storage/index.ts'
import { EXPIRED_AHEAD_MS } from '../decision.ts'
import { History } from './history.ts'

/** The place of one key. `record` and `usage` are replaced, never changed. */
export interface Slot {
  record: KeyRecord
  usage: KeyUsage
  readonly history: History
  /** When the log next reports the key's end; see {@link Workspace.planNotice}. */
  noticeAtMs: number | null
  /** Where the key stands among its workspace's keys, the oldest at 0. */
  readonly position: number
}

const NO_USAGE: KeyUsage = Object.freeze({ uses: 0, lastUsedAtMs: null })

/** The key in a slot with its usage. */
export function storedKey({ record, usage }: Slot): StoredKey {
  return Object.freeze({ ...record, ...usage })
}

/** The keys and events of one workspace, oldest first. */
export class Workspace {
  /** Whether nothing may be added any more. */
  isErased = false
  // What is deleted leaves a gap, so that positions, and cursors with them, stay what they are.
  readonly #slots: (Slot | undefined)[] = []
  readonly #events: (AuditEventRecord | undefined)[] = []
  readonly #slotAt = new Map<string, number>()
  readonly #eventAt = new Map<string, number>()
  /** Keys that count until somebody changes them. */
  #lasting = 0
  /** Keys that are not revoked, but end by themselves. */
  readonly #ending = new Set<Slot>()
  /** Keys with a notice to come. */
  readonly #awaited = new Set<Slot>()
  /** The latest end of a key that did not count any more when an insert counted keys. */
  #expiredToMs = Number.NEGATIVE_INFINITY

  /** When a change of this instant is decided: a key that once counted as expired stays expired. */
  decidedAt(atMs: number): number {
    return Math.max(atMs, notAhead(this.#expiredToMs))
  }

  /** How many keys are active or paused when an insert of this instant counts them. */
  countActiveKeys(atMs: number): number {
    const decidedAtMs = this.decidedAt(atMs)
    for (const { record } of this.#ending) {
      if (statusAt(record, decidedAtMs) !== 'expired') continue
      this.#expiredToMs = Math.max(this.#expiredToMs, notAhead(record.expiresAtMs ?? 0))
    }
    return this.activeKeys(decidedAtMs)
  }

  /** How many keys are active or paused at an instant. */
  activeKeys(atMs: number): number {
    return this.#lasting + this.#endingKeys((record) => countsAt(record, atMs))
  }

  /** How many keys are retiring at an instant. */
  retiringKeys(atMs: number): number {
    return this.#endingKeys((record) => statusAt(record, atMs) === 'retiring')
  }

  add(record: KeyRecord): Slot {
    const slot = {
      record,
      usage: NO_USAGE,
      history: new History(),
      noticeAtMs: null,
      position: this.#slots.length,
    }
    this.planNotice(slot, nextNoticeAt(record, record.updatedAtMs))
    this.#slots.push(slot)
    this.#slotAt.set(record.id, slot.position)
    this.#addToActive(slot, 1)
    return slot
  }

  replace(slot: Slot, record: KeyRecord): void {
    this.#addToActive(slot, -1)
    if (hasOtherEnd(slot.record, record)) {
      this.planNotice(slot, nextNoticeAt(record, record.updatedAtMs))
    }
    slot.record = record
    this.#addToActive(slot, 1)
  }

  /** Sets when the log next reports the key's end; `null` for never. */
  planNotice(slot: Slot, atMs: number | null): void {
    slot.noticeAtMs = atMs
    if (atMs === null) this.#awaited.delete(slot)
    else this.#awaited.add(slot)
  }

  /** The keys with a notice that is due, in no order. */
  due(atMs: number): readonly Slot[] {
    return [...this.#awaited].filter(({ noticeAtMs }) => (noticeAtMs ?? Infinity) <= atMs)
  }

  page({ after, limit, oldestFirst = false, ...filters }: KeyPageQuery): KeyPage | null {
    const place = after === null ? null : this.#slotAt.get(after)
    if (place === undefined) return null
    const following = oldestFirst
      ? this.#slots.slice((place ?? -1) + 1)
      : this.#slots.slice(0, place ?? undefined).reverse()
    const matching = following.filter(
      (slot): slot is Slot => slot !== undefined && matches(slot, filters),
    )
    return {
      records: matching.slice(0, limit).map(storedKey),
      more: matching.length > limit,
      activeKeys: this.activeKeys(filters.atMs),
      total: after === null ? matching.length : null,
    }
  }

  /** The keys that are not deleted, oldest first. */
  get slots(): readonly Slot[] {
    return this.#slots.filter((slot) => slot !== undefined)
  }

  /** The events that are not deleted, oldest first. */
  get events(): readonly AuditEventRecord[] {
    return this.#events.filter((event) => event !== undefined)
  }

  /** Whether the workspace has or had a key with this id. */
  knows(id: string): boolean {
    return this.#slotAt.has(id)
  }

  remove(slot: Slot): void {
    this.#addToActive(slot, -1)
    this.planNotice(slot, null)
    this.#slots[slot.position] = undefined
  }

  /** Puts another state of an event in its place, or nothing. */
  replaceEvent(id: string, event: AuditEventRecord | undefined): void {
    const position = this.#eventAt.get(id)
    if (position !== undefined) this.#events[position] = event
  }

  /** Forgets where deleted keys and events were. */
  forgetDeleted(): void {
    for (const [id, position] of this.#slotAt) if (!this.#slots[position]) this.#slotAt.delete(id)
    for (const [id, position] of this.#eventAt)
      if (!this.#events[position]) this.#eventAt.delete(id)
  }

  log(event: AuditEventRecord): void {
    this.#eventAt.set(event.id, this.#events.length)
    this.#events.push(event)
  }

  hasEvent(id: string): boolean {
    return this.#eventAt.has(id)
  }

  eventsAfter(query: EventQuery): readonly AuditEventRecord[] | null {
    const { after, keyId = null, newestFirst = false, limit } = query
    const step = newestFirst ? -1 : 1
    const { length } = this.#events
    const start = after === null ? (newestFirst ? length : -1) : this.#eventAt.get(after)
    if (start === undefined) return null
    const page: AuditEventRecord[] = []
    for (let at = start + step; at >= 0 && at < length && page.length < limit; at += step) {
      const event = this.#events[at]
      if (event !== undefined && (keyId === null || event.keyId === keyId)) page.push(event)
    }
    return page
  }

  #endingKeys(is: (record: KeyRecord) => boolean): number {
    let count = 0
    for (const { record } of this.#ending) if (is(record)) count += 1
    return count
  }

  #addToActive(slot: Slot, change: 1 | -1): void {
    const { revokedAtMs, expiresAtMs, retiresAtMs } = slot.record
    if (revokedAtMs !== null) return
    if (expiresAtMs === null && retiresAtMs === null) this.#lasting += change
    else if (change === 1) this.#ending.add(slot)
    else this.#ending.delete(slot)
  }
}

/** At most a minute ahead of the clock. */
function notAhead(atMs: number): number {
  return Math.min(atMs, Date.now() + EXPIRED_AHEAD_MS)
}

/** A revocation after an overlap makes its end firm, and leaves it. */
function hasOtherEnd(before: KeyRecord, after: KeyRecord): boolean {
  const { expiresAtMs, retiresAtMs, revokedAtMs } = after
  const isRevokedEarly = revokedAtMs !== before.revokedAtMs && revokedAtMs !== retiresAtMs
  return isRevokedEarly || expiresAtMs !== before.expiresAtMs || retiresAtMs !== before.retiresAtMs
}

type Filters = Omit<KeyPageQuery, 'after' | 'limit'>

function matches({ record, usage }: Slot, filters: Filters): boolean {
  const { status, environment, scope, notUsedAfterMs = Infinity, atMs } = filters
  const { creatorId, resource, ids } = filters
  return (
    (environment === null || record.environment === environment) &&
    (status === null || status.includes(statusAt(record, atMs))) &&
    (scope === undefined || record.scopes.includes(scope)) &&
    (usage.lastUsedAtMs ?? record.createdAtMs) <= notUsedAfterMs &&
    (creatorId === undefined || record.creator.id === creatorId) &&
    (ids === undefined || ids.includes(record.id)) &&
    (resource === undefined || reaches(record, resource))
  )
}

function reaches({ resources }: KeyRecord, { type, id, match }: ResourceFilter): boolean {
  const ids = Object.hasOwn(resources, type) ? resources[type] : undefined
  if (match === 'reaches') return ids === undefined || ids.includes(id)
  return ids?.length === 1 && ids[0] === id
}
