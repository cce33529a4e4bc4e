import type { Slot } from './workspace.ts'

/**
 * Finds slots by hash. The Map's keys are 30-bit integers from the digest: among a million keys a
 * look-up stays in the processor's cache, where a Map of 64-character strings does not. Slots that
 * share an integer hang in a chain, and the whole hash decides.
 */
export class HashIndex {
  readonly #heads = new Map<number, Slot>()

  find(hash: string): Slot | null {
    let slot: Slot | null = this.#heads.get(digestBits(hash)) ?? null
    while (slot !== null && slot.record.hash !== hash) slot = slot.next
    return slot
  }

  add(slot: Slot): void {
    const bits = digestBits(slot.record.hash)
    slot.next = this.#heads.get(bits) ?? null
    this.#heads.set(bits, slot)
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
