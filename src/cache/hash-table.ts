/**
 * A slot holds 126 bits of a hash and two bits of state. Finding a text that matches one given key
 * takes 2^126 attempts (NIST SP 800-107r1 §5.1), one of N keys 2^126/N. Comparing 224 bits makes a
 * lookup among a million keys a third slower.
 */
const SLOT_WORDS = 4
const STATE_BITS = 3
const EMPTY = 0
const UNUSED = 1
const USED = 2

/** A power of two, as every number of slots is. */
const FEWEST_SLOTS = 1_024

/**
 * Values by SHA-256 in lower-case hex, in a hash table with open addressing and linear probing. A
 * lookup reads two places in memory, where a `Map` of entries reads five or more: among a million keys
 * it takes a third of the time, and less than half of a `Map` by 31 bits of the hash.
 *
 * `evict` forgets a value that was not used since it was last considered, as the CLOCK algorithm does.
 */
export class HashTable<T> {
  #values!: (T | undefined)[]
  #words!: Int32Array
  #lastSlot!: number
  #size!: number
  #hand!: number
  readonly #sought = new Int32Array(SLOT_WORDS)

  constructor() {
    this.#allocate(FEWEST_SLOTS)
  }

  get size(): number {
    return this.#size
  }

  /** The value of a hash, which counts as used now. */
  get(hash: string): T | undefined {
    const slot = this.#find(hash)
    if (this.#isEmpty(slot)) return undefined
    this.#mark(slot, USED)
    return this.#values[slot]
  }

  /** Stores a value, which does not count as used yet. */
  set(hash: string, value: T): void {
    if (this.#size * 3 >= this.#lastSlot * 2) this.#grow()
    const slot = this.#find(hash)
    if (this.#isEmpty(slot)) this.#size += 1
    this.#put(slot, this.#sought, value)
    this.#mark(slot, UNUSED)
  }

  delete(hash: string): void {
    const slot = this.#find(hash)
    if (!this.#isEmpty(slot)) this.#remove(slot)
  }

  /** Forgets one value that was not used since it was last considered. */
  evict(): void {
    if (this.#size === 0) return
    while (stateIn(this.#words, this.#hand) !== UNUSED) {
      if (!this.#isEmpty(this.#hand)) this.#mark(this.#hand, UNUSED)
      this.#hand = this.#after(this.#hand)
    }
    this.#remove(this.#hand)
  }

  clear(): void {
    this.#allocate(FEWEST_SLOTS)
  }

  #allocate(slots: number): void {
    this.#values = new Array<T | undefined>(slots).fill(undefined)
    this.#words = new Int32Array(slots * SLOT_WORDS)
    this.#lastSlot = slots - 1
    this.#size = 0
    this.#hand = 0
  }

  /** The slot that holds a hash, or else the empty one where it belongs. */
  #find(hash: string): number {
    const sought = this.#sought
    const words = this.#words
    const last = this.#lastSlot
    for (let word = 0; word < SLOT_WORDS; word += 1) sought[word] = hexWord(hash, word * 8)
    let slot = homeOf(sought, 0) & last
    while (stateIn(words, slot) !== EMPTY && !isSame(words, slot, sought)) {
      slot = (slot + 1) & last
    }
    return slot
  }

  #isEmpty(slot: number): boolean {
    return stateIn(this.#words, slot) === EMPTY
  }

  #mark(slot: number, state: number): void {
    this.#words[lastOf(slot)] = hashIn(this.#words, slot) | state
  }

  #after(slot: number): number {
    return (slot + 1) & this.#lastSlot
  }

  #put(slot: number, words: Int32Array, value: T | undefined): void {
    this.#words.set(words, slot * SLOT_WORDS)
    this.#values[slot] = value
  }

  /** Moves back what stands behind a slot before emptying it, so that no search ends too early. */
  #remove(slot: number): void {
    let empty = slot
    for (let next = this.#after(slot); !this.#isEmpty(next); next = this.#after(next)) {
      const home = homeOf(this.#words, next) & this.#lastSlot
      if (this.#distance(home, next) < this.#distance(empty, next)) continue
      this.#put(empty, wordsAt(this.#words, next), this.#values[next])
      empty = next
    }
    this.#mark(empty, EMPTY)
    this.#values[empty] = undefined
    this.#size -= 1
  }

  /** How many slots a search passes from one to another, around the end too. */
  #distance(from: number, to: number): number {
    return (to - from) & this.#lastSlot
  }

  #grow(): void {
    const [words, values] = [this.#words, this.#values]
    this.#allocate(values.length * 2)
    for (const [old, value] of values.entries()) {
      if (stateIn(words, old) === EMPTY) continue
      let slot = homeOf(words, old) & this.#lastSlot
      while (!this.#isEmpty(slot)) slot = this.#after(slot)
      this.#put(slot, wordsAt(words, old), value)
      this.#size += 1
    }
  }
}

/** The index of the last word of a slot, whose last bits are its state. */
function lastOf(slot: number): number {
  return slot * SLOT_WORDS + SLOT_WORDS - 1
}

function stateIn(words: Int32Array, slot: number): number {
  return (words[lastOf(slot)] as number) & STATE_BITS
}

/** The rest of that word, which belongs to the hash. */
function hashIn(words: Int32Array, slot: number): number {
  return (words[lastOf(slot)] as number) & ~STATE_BITS
}

/** The number of a hash that tells where the search for it begins. */
function homeOf(words: Int32Array, slot: number): number {
  return words[slot * SLOT_WORDS] as number
}

function wordsAt(words: Int32Array, slot: number): Int32Array {
  return words.subarray(slot * SLOT_WORDS, (slot + 1) * SLOT_WORDS)
}

function isSame(words: Int32Array, slot: number, sought: Int32Array): boolean {
  for (let word = 0; word < SLOT_WORDS - 1; word += 1) {
    if (words[slot * SLOT_WORDS + word] !== sought[word]) return false
  }
  return hashIn(words, slot) === hashIn(sought, 0)
}

/** Eight hex digits as a number, without a branch that random digits would mispredict. */
function hexWord(hash: string, start: number): number {
  let word = 0
  for (let at = start; at < start + 8; at += 1) {
    const code = hash.charCodeAt(at)
    word = (word << 4) | ((code & 15) + (code >> 6) * 9)
  }
  return word
}
