import type { Random } from '../../support/random.ts'

interface Due {
  readonly atMs: number
  readonly run: () => void
}

/** Deeper than any chain of promises between two events. */
const TURNS = 12

/** Time that passes only from event to event. */
export class World {
  readonly random: Random
  nowMs = 0
  #downUntilMs = 0
  readonly #due: Due[] = []

  constructor(random: Random) {
    this.random = random
  }

  /** Whether the database answers. */
  get isUp(): boolean {
    return this.nowMs >= this.#downUntilMs
  }

  isDownUntil(untilMs: number): void {
    this.#downUntilMs = Math.max(this.#downUntilMs, untilMs)
  }

  /** Runs something after so many milliseconds of real time. */
  after(delayMs: number, run: () => void): () => void {
    const due = { atMs: this.nowMs + Math.max(0, delayMs), run }
    let at = this.#due.length
    while (at > 0 && (this.#due[at - 1] as Due).atMs <= due.atMs) at -= 1
    this.#due.splice(at, 0, due)
    return () => {
      const found = this.#due.indexOf(due)
      if (found >= 0) this.#due.splice(found, 1)
    }
  }

  /** Lets time pass until then. */
  async run(untilMs: number): Promise<void> {
    for (let due = this.#due.pop(); due !== undefined; due = this.#due.pop()) {
      if (due.atMs > untilMs) return
      this.nowMs = due.atMs
      due.run()
      for (let turn = 0; turn < TURNS; turn += 1) await null
    }
  }
}
