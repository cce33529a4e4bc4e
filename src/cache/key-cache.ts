/** A remembered key. Entries whose hashes begin alike share a slot. */
interface Entry<T> {
  readonly hash: string
  readonly value: T
  isUsed: boolean
  readonly next: Entry<T> | null
}

/** A lookup under way. */
export interface Fill {
  readonly hash: string
  /** Whether the key was changed since: then the answer may be of before and is not remembered. */
  isDirty: boolean
}

/** Unknown hashes that are remembered at most, so that strangers cannot fill the memory. */
const MOST_UNKNOWN = 10_000

/** How many hex digits of a hash choose its slot: as many as fit a small integer of the engine. */
const SLOT_DIGITS = 7

/**
 * Keys by hash, at most `maxKeys`. The index is by the first digits of the hash: a lookup among a
 * million keys takes 1.1 times as long as among a thousand, and 7 times when whole hashes are the
 * index (`npm run bench -- cache`).
 *
 * When it is full, it forgets a key that was not used since it was last considered: SIEVE (Zhang et
 * al., NSDI '24), which keeps what least recently used would keep and writes nothing on a hit but a
 * flag.
 */
export class KeyCache<T> {
  readonly #maxKeys: number
  readonly #slots = new Map<number, Entry<T>>()
  readonly #unknown = new Set<string>()
  readonly #fills = new Set<Fill>()
  #hand: Iterator<Entry<T>, undefined> = this.#slots.values()
  #size = 0
  #evictions = 0

  constructor(maxKeys: number) {
    this.#maxKeys = maxKeys
  }

  get size(): number {
    return this.#size
  }

  get evictions(): number {
    return this.#evictions
  }

  /** What is remembered: a key, `null` for a hash that no key has, or `undefined`. */
  get(hash: string): T | null | undefined {
    let entry = this.#slots.get(slotOf(hash)) ?? null
    while (entry !== null && entry.hash !== hash) entry = entry.next
    if (entry === null) return this.#unknown.has(hash) ? null : undefined
    entry.isUsed = true
    return entry.value
  }

  /** To be called before the lookup is sent. */
  begin(hash: string): Fill {
    const fill = { hash, isDirty: false }
    this.#fills.add(fill)
    return fill
  }

  /** Remembers what a lookup found, unless the key was changed since it began. */
  end(fill: Fill, found: T | null): void {
    this.abandon(fill)
    if (fill.isDirty) return
    this.#forget(fill.hash)
    if (found !== null) this.#add(fill.hash, found)
    else if (this.#unknown.size < MOST_UNKNOWN) this.#unknown.add(fill.hash)
  }

  /** The lookup has failed. */
  abandon(fill: Fill): void {
    this.#fills.delete(fill)
  }

  /** Forgets a key, also what lookups under way find of it. */
  drop(hash: string): void {
    this.#forget(hash)
    for (const fill of this.#fills) if (fill.hash === hash) fill.isDirty = true
  }

  /** Forgets all keys, also what lookups under way find. */
  clear(): void {
    this.#slots.clear()
    this.#size = 0
    this.forgetUnknown()
    for (const fill of this.#fills) fill.isDirty = true
  }

  /** Forgets which hashes no key has: one of them may have been imported since. */
  forgetUnknown(): void {
    this.#unknown.clear()
  }

  #add(hash: string, value: T): void {
    if (this.#size >= this.#maxKeys) this.#evict()
    const slot = slotOf(hash)
    this.#slots.set(slot, { hash, value, isUsed: false, next: this.#slots.get(slot) ?? null })
    this.#size += 1
  }

  #forget(hash: string): void {
    this.#unknown.delete(hash)
    const slot = slotOf(hash)
    const first = this.#slots.get(slot)
    if (first === undefined) return
    const entries = entriesOf(first)
    const left = entries.filter((entry) => entry.hash !== hash)
    this.#size -= entries.length - left.length
    const chain = left.reduce<Entry<T> | null>((next, entry) => ({ ...entry, next }), null)
    if (chain === null) this.#slots.delete(slot)
    else this.#slots.set(slot, chain)
  }

  /** The iterator stays where it is while slots come and go, and begins anew at the end. */
  #evict(): void {
    for (;;) {
      const { value: entry } = this.#hand.next()
      if (entry === undefined) this.#hand = this.#slots.values()
      else if (entry.isUsed) entry.isUsed = false
      else {
        const { length } = entriesOf(entry)
        this.#slots.delete(slotOf(entry.hash))
        this.#size -= length
        this.#evictions += length
        return
      }
    }
  }
}

/** The value of the first digits. A call of `parseInt` takes twice as long. */
function slotOf(hash: string): number {
  let slot = 0
  for (let at = 0; at < SLOT_DIGITS; at += 1) {
    const code = hash.charCodeAt(at)
    slot = slot * 16 + (code > 57 ? code - 87 : code - 48)
  }
  return slot
}

function entriesOf<T>(first: Entry<T>): readonly Entry<T>[] {
  const entries: Entry<T>[] = []
  for (let entry: Entry<T> | null = first; entry !== null; entry = entry.next) entries.push(entry)
  return entries
}
