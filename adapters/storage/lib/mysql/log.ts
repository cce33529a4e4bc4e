import type { SqlValue } from '../sql/work.ts'

/** Keys that the work of a transaction changes, which the log of changes must name. */
export class Touched {
  readonly ids: readonly SqlValue[]
  /** The hashes of keys that are about to be deleted. */
  readonly hashes: readonly Uint8Array[]

  constructor(ids: readonly SqlValue[], hashes: readonly Uint8Array[] = []) {
    this.ids = ids
    this.hashes = hashes
  }
}
