/**
 * How long a delivered event may wait for others to be acknowledged with. A process that is killed delivers
 * again what it delivered in this time.
 */
const SETTLE_MS = 100

/**
 * Events that were delivered and are yet to be acknowledged. Acknowledging many at once costs one commit; one
 * commit for each event keeps a relay behind 16 creators on PostgreSQL (`npm run bench -- beside`).
 */
export class PendingEvents {
  #ids: string[] = []
  #firstMs = 0

  add(id: string): void {
    if (this.#ids.length === 0) this.#firstMs = performance.now()
    this.#ids.push(id)
  }

  /** Whether the oldest has waited long enough. */
  get isDue(): boolean {
    return this.#ids.length > 0 && performance.now() - this.#firstMs >= SETTLE_MS
  }

  /** Removes all of them and returns them. */
  take(): readonly string[] {
    const ids = this.#ids
    this.#ids = []
    return ids
  }
}
