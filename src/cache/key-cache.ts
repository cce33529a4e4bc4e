export interface Fill {
  readonly hash: string
  /** Whether the key has changed since: the answer may be older than that and is not remembered. */
  isDirty: boolean
}

/** The most unknown hashes to remember, so that strangers cannot fill the memory. */
const MOST_UNKNOWN = 10_000

/** Keys by hash, at most `maxKeys`. When it is full, it forgets the one that was not used for longest. */
export class KeyCache<T> {
  readonly #maxKeys: number
  /** In the order of their last use since it is full. */
  readonly #keys = new Map<string, T>()
  readonly #unknown = new Set<string>()
  readonly #fills = new Set<Fill>()
  #evictions = 0

  constructor(maxKeys: number) {
    this.#maxKeys = maxKeys
  }

  get size(): number {
    return this.#keys.size
  }

  get evictions(): number {
    return this.#evictions
  }

  /** The key of a hash, which counts as used now. */
  get(hash: string): T | undefined {
    const found = this.#keys.get(hash)
    // Until something has to go, the order does not matter.
    if (found !== undefined && this.size >= this.#maxKeys) {
      this.#keys.delete(hash)
      this.#keys.set(hash, found)
    }
    return found
  }

  /** Whether this hash is remembered as one that no key has. */
  isUnknown(hash: string): boolean {
    return this.#unknown.has(hash)
  }

  /** Call it before sending the lookup. */
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

  /** Stops tracking a lookup. */
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
    this.#keys.clear()
    this.forgetUnknown()
    for (const fill of this.#fills) fill.isDirty = true
  }

  /** Forgets which hashes no key has: one of them may have been imported since. */
  forgetUnknown(): void {
    this.#unknown.clear()
  }

  #add(hash: string, value: T): void {
    if (this.size >= this.#maxKeys) {
      const [oldest = ''] = this.#keys.keys()
      this.#keys.delete(oldest)
      this.#evictions += 1
    }
    this.#keys.set(hash, value)
  }

  #forget(hash: string): void {
    this.#keys.delete(hash)
    this.#unknown.delete(hash)
  }
}
