import type { KeyRecord } from '../../../src/storage/index.ts'
import { frozenCopy } from './frozen-copy.ts'

/** How many records are remembered before the first of them is forgotten. */
const MOST = 10_000

/**
 * Remembers the record of each row. The same row gives the same frozen record, by which the core finds what it
 * has made of it: without that, 64 callers wait twice as long.
 */
export class KnownRecords {
  readonly #known = new Map<string, { readonly row: string; readonly record: KeyRecord }>()

  /** The record of a row that has not changed. A row is its text, whole. */
  get(hash: string, row: string): KeyRecord | undefined {
    const known = this.#known.get(hash)
    return known?.row === row ? known.record : undefined
  }

  /** Remembers the record of a row, and answers it frozen. */
  keep(row: string, read: KeyRecord): KeyRecord {
    const record = frozenCopy(read)
    this.#known.set(record.hash, { row, record })
    const [first = ''] = this.#known.keys()
    if (this.#known.size > MOST) this.#known.delete(first)
    return record
  }
}
