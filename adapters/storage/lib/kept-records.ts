import type { KeyRecord } from '../../../src/storage/index.ts'

/** How many records are kept before the one that was read first is dropped. */
const MOST_KEPT = 100_000

/** How records are read. */
interface KeptParts<Source> {
  readonly isSame: (one: Source, other: Source) => boolean
  /** Throws `StorageError` (`broken_row`) rather than guess. */
  readonly recordFrom: (source: Source) => KeyRecord
}

/**
 * Reads the records of rows. The same row gives the same frozen record, which saves reading it again and
 * lets the core recognise it: without that, an authentication takes three times the processor time of this
 * process. Nothing stale can come of it: a row that differs in anything is read anew.
 */
export class KeptRecords<Source> {
  readonly #parts: KeptParts<Source>
  readonly #kept = new Map<string, { readonly source: Source; readonly record: KeyRecord }>()
  #most = MOST_KEPT

  constructor(parts: KeptParts<Source>) {
    this.#parts = parts
  }

  /** The record of a row with this hash. */
  read(hash: string, source: Source): KeyRecord {
    const known = this.#kept.get(hash)
    if (known !== undefined && this.#parts.isSame(known.source, source)) return known.record
    const record = deeplyFrozen(this.#parts.recordFrom(source))
    this.#kept.set(hash, { source, record })
    if (this.#kept.size > this.#most) this.#dropFirst()
    return record
  }

  #dropFirst(): void {
    const [first = ''] = this.#kept.keys()
    this.#kept.delete(first)
  }

  /** Keeps nothing from now on: a cache in front of the storage has each key that it reads. */
  stop(): void {
    this.#most = 0
    this.#kept.clear()
  }
}

function deeplyFrozen<T extends object>(value: T): T {
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null) deeplyFrozen(inner)
  }
  return Object.freeze(value)
}
