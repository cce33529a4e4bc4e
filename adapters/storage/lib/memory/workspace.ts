import type {
  AuditEventRecord,
  EventQuery,
  KeyPage,
  KeyPageQuery,
  KeyRecord,
  KeyUsage,
  StoredKey,
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
  #activeKeys = 0

  get activeKeys(): number {
    return this.#activeKeys
  }

  add(record: KeyRecord): Slot {
    const slot = { record, usage: NO_USAGE, position: this.#slots.length }
    this.#slots.push(slot)
    this.#slotAt.set(record.id, slot.position)
    this.#activeKeys += active(record)
    return slot
  }

  replace(slot: Slot, record: KeyRecord): void {
    this.#activeKeys += active(record) - active(slot.record)
    slot.record = record
  }

  page({ status, environment, after, limit }: KeyPageQuery): KeyPage | null {
    const end = after === null ? this.#slots.length : this.#slotAt.get(after)
    if (end === undefined) return null
    const records: StoredKey[] = []
    for (let at = end - 1; at >= 0; at -= 1) {
      const slot = this.#slots[at]
      if (slot === undefined || !matches(slot.record, { status, environment })) continue
      if (records.length === limit) return { records, more: true, activeKeys: this.#activeKeys }
      records.push(storedKey(slot))
    }
    return { records, more: false, activeKeys: this.#activeKeys }
  }

  log(event: AuditEventRecord): void {
    this.#eventAt.set(event.id, this.#events.length)
    this.#events.push(event)
  }

  eventsAfter({ after, limit }: EventQuery): readonly AuditEventRecord[] | null {
    const start = after === null ? -1 : this.#eventAt.get(after)
    return start === undefined ? null : this.#events.slice(start + 1, start + 1 + limit)
  }
}

type Filters = Pick<KeyPageQuery, 'status' | 'environment'>

function matches(record: KeyRecord, { status, environment }: Filters): boolean {
  if (environment !== null && record.environment !== environment) return false
  return status === null || (status === 'active') === (record.revokedAtMs === null)
}

function active(record: KeyRecord): 0 | 1 {
  return record.revokedAtMs === null ? 1 : 0
}
