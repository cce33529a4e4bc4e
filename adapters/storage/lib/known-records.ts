import type { KeyRecord } from '../../../src/storage/index.ts'
import { frozenCopy } from './frozen-copy.ts'

/** How many records are remembered before the first of them is forgotten. */
const MOST = 10_000

/**
 * Reads the lines that keys are answered as, and remembers their records. The same line gives the same frozen record,
 * by which the core finds what it has made of it: without that, 64 callers wait twice as long.
 */
export class KnownRecords {
  readonly #known = new Map<string, { readonly line: string; readonly record: KeyRecord }>()
  readonly #read: (line: string) => KeyRecord

  constructor(read: (line: string) => KeyRecord) {
    this.#read = read
  }

  /** The record of a line, or why it cannot be read. */
  recordOf(hash: string, line: string): KeyRecord | Error {
    const known = this.#known.get(hash)
    if (known?.line === line) return known.record
    try {
      const record = frozenCopy(this.#read(line))
      this.#known.set(hash, { line, record })
      const [first = ''] = this.#known.keys()
      if (this.#known.size > MOST) this.#known.delete(first)
      return record
    } catch (error) {
      return error instanceof Error ? error : new Error('the lookup failed', { cause: error })
    }
  }
}
