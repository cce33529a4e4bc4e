const TTL_MS = 60_000
const MOST_REMEMBERED = 10_000

/** The hash of the key that a text belongs to, or `null`. */
export type Answer = string | null

/** Answers of `adopt` by the hash of their text: for 60 seconds, and at most 10,000. */
export class RememberedAnswers {
  readonly #answers = new Map<string, { readonly answer: Answer; readonly untilMs: number }>()

  /** `undefined` where none is remembered. */
  get(hash: string): Answer | undefined {
    const remembered = this.#answers.get(hash)
    if (remembered === undefined) return undefined
    // The monotonic clock.
    if (performance.now() < remembered.untilMs) return remembered.answer
    this.#answers.delete(hash)
    return undefined
  }

  /** Forgets the oldest first: entries are in the order of their ends. */
  add(hash: string, answer: Answer): void {
    this.#answers.set(hash, { answer, untilMs: performance.now() + TTL_MS })
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= MOST_REMEMBERED) return
      this.#answers.delete(oldest)
    }
  }
}
