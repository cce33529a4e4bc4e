import type { KeyRecord } from '../../../src/storage/index.ts'

/** How many records are kept before the one that was read first is dropped. */
const MOST_KEPT = 100_000

/** A record and a text that no other row has, nor the same row once it differs in anything. */
interface Kept {
  readonly content: string
  readonly record: KeyRecord
}

/**
 * Keeps the records of rows by their hashes. The same row gives the same frozen record, which saves reading it
 * again and lets the core recognise it: without that, an authentication takes three times the processor time of
 * this process.
 */
export class KeptRecords {
  readonly #kept = new Map<string, Kept>()
  #most = MOST_KEPT

  /** What is kept of the row with this hash, as it once was. */
  get(hash: string): Kept | undefined {
    return this.#kept.get(hash)
  }

  /** Keeps the record of a row, and answers it frozen. */
  keep(content: string, record: KeyRecord): KeyRecord {
    this.#kept.set(record.hash, { content, record: deeplyFrozen(record) })
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
