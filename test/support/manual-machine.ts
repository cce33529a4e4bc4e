import type { Machine } from '../../src/cache/lease.ts'

/** A machine whose time a test lets pass. */
export class ManualMachine implements Machine {
  nowMs = 1_000
  wallNowMs = 1_700_000_000_000
  readonly #due: { readonly atMs: number; readonly run: () => void }[] = []

  monotonicMs(): number {
    return this.nowMs
  }

  wallMs(): number {
    return this.wallNowMs
  }

  random(): number {
    return 0.5
  }

  after(delayMs: number, run: () => void): () => void {
    const due = { atMs: this.nowMs + delayMs, run }
    this.#due.push(due)
    return () => {
      const at = this.#due.indexOf(due)
      if (at >= 0) this.#due.splice(at, 1)
    }
  }

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.after(delayMs, resolve))
  }

  /** How many timers wait. */
  get timers(): number {
    return this.#due.length
  }

  /** Lets both clocks run, and what is due then. */
  async pass(ms: number): Promise<void> {
    const endMs = this.nowMs + ms
    for (;;) {
      await settled()
      const next = this.#due.toSorted((a, b) => a.atMs - b.atMs)[0]
      if (next === undefined || next.atMs > endMs) break
      this.#due.splice(this.#due.indexOf(next), 1)
      this.#moveTo(Math.max(next.atMs, this.nowMs))
      next.run()
    }
    this.#moveTo(endMs)
    await settled()
  }

  #moveTo(atMs: number): void {
    this.wallNowMs += atMs - this.nowMs
    this.nowMs = atMs
  }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await null
}
