import {
  type AuditEventRecord,
  countsAt,
  type EventQuery,
  type KeyPage,
  type KeyPageQuery,
  type KeyRecord,
  type KeyUsage,
  type StoredKey,
  statusAt,
} from '../../../../src/storage/index.ts'

/** The place of one key. `record` and `usage` are replaced, never changed. */
export interface Slot {
  record: KeyRecord
  usage: KeyUsage
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
  readonly #slots: Slot[] = []
  readonly #events: AuditEventRecord[] = []
  readonly #slotAt = new Map<string, number>()
  readonly #eventAt = new Map<string, number>()
  /** Keys that count until somebody changes them. */
  #lasting = 0
  /** Keys that are not revoked, but end by themselves. */
  readonly #ending = new Set<Slot>()

  /** How many keys are active or paused at an instant. */
  activeKeys(atMs: number): number {
    return this.#lasting + this.#endingKeys((record) => countsAt(record, atMs))
  }

  /** How many keys are retiring at an instant. */
  retiringKeys(atMs: number): number {
    return this.#endingKeys((record) => statusAt(record, atMs) === 'retiring')
  }

  add(record: KeyRecord): Slot {
    const slot = { record, usage: NO_USAGE, position: this.#slots.length }
    this.#slots.push(slot)
    this.#slotAt.set(record.id, slot.position)
    this.#tally(slot, 1)
    return slot
  }

  replace(slot: Slot, record: KeyRecord): void {
    this.#tally(slot, -1)
    slot.record = record
    this.#tally(slot, 1)
  }

  page({ after, limit, ...filters }: KeyPageQuery): KeyPage | null {
    const end = after === null ? this.#slots.length : this.#slotAt.get(after)
    if (end === undefined) return null
    const activeKeys = this.activeKeys(filters.atMs)
    const records: StoredKey[] = []
    for (let at = end - 1; at >= 0; at -= 1) {
      const slot = this.#slots[at]
      if (slot === undefined || !matches(slot.record, filters)) continue
      if (records.length === limit) return { records, more: true, activeKeys }
      records.push(storedKey(slot))
    }
    return { records, more: false, activeKeys }
  }

  log(event: AuditEventRecord): void {
    this.#eventAt.set(event.id, this.#events.length)
    this.#events.push(event)
  }

  hasEvent(id: string): boolean {
    return this.#eventAt.has(id)
  }

  eventsAfter({ after, limit }: EventQuery): readonly AuditEventRecord[] | null {
    const start = after === null ? -1 : this.#eventAt.get(after)
    return start === undefined ? null : this.#events.slice(start + 1, start + 1 + limit)
  }

  #endingKeys(is: (record: KeyRecord) => boolean): number {
    let count = 0
    for (const { record } of this.#ending) if (is(record)) count += 1
    return count
  }

  #tally(slot: Slot, change: 1 | -1): void {
    const { revokedAtMs, expiresAtMs, retiresAtMs } = slot.record
    if (revokedAtMs !== null) return
    if (expiresAtMs === null && retiresAtMs === null) this.#lasting += change
    else if (change === 1) this.#ending.add(slot)
    else this.#ending.delete(slot)
  }
}

type Filters = Pick<KeyPageQuery, 'status' | 'environment' | 'atMs'>

function matches(record: KeyRecord, { status, environment, atMs }: Filters): boolean {
  if (environment !== null && record.environment !== environment) return false
  return status === null || status === statusAt(record, atMs)
}
