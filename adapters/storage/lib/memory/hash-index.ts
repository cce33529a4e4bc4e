import type { KeyRecord } from '../../../../src/storage/index.ts'

/**
 * Finds records by hash. The Map's keys are 30-bit integers from the digest: among a million keys a
 * look-up stays in the processor's cache, where a Map of 64-character strings does not. The whole
 * hash decides; the few records whose integer is taken are found by it.
 */
export class HashIndex {
  readonly #records = new Map<number, KeyRecord>()
  readonly #others = new Map<string, KeyRecord>()

  find(hash: string): KeyRecord | null {
    const record = this.#records.get(digestBits(hash))
    if (record === undefined || record.hash === hash) return record ?? null
    return this.#others.get(hash) ?? null
  }

  /** Keeps a record in place of the one that has the same hash, if any. */
  set(record: KeyRecord): void {
    const { hash } = record
    const bits = digestBits(hash)
    const holder = this.#records.get(bits)
    if (holder === undefined || holder.hash === hash) this.#records.set(bits, record)
    else this.#others.set(hash, record)
  }
}

/** The first 30 bits of a hex digest: small enough for V8 to keep the integer unboxed. */
function digestBits(hash: string): number {
  let bits = 0
  for (let at = 0; at < 7; at += 1) bits = (bits << 4) | nibble(hash.charCodeAt(at))
  return (bits << 2) | (nibble(hash.charCodeAt(7)) >> 2)
}

/** The value of a hex digit: 0-9 are 48-57, a-f are 97-102, which bit 6 tells apart. */
function nibble(code: number): number {
  return (code & 15) + 9 * (code >> 6)
}
