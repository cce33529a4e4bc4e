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

  /** The record of a row, which is written as text; `read` reads one that is new or has changed. */
  of(hash: string, row: string, read: () => KeyRecord): KeyRecord {
    const known = this.#known.get(hash)
    if (known?.row === row) return known.record
    const record = frozenCopy(read())
    this.#known.set(hash, { row, record })
    const [first = ''] = this.#known.keys()
    if (this.#known.size > MOST) this.#known.delete(first)
    return record
  }
}
