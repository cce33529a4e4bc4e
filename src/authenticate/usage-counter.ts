import { unref } from '../lib/within-time.ts'
import { mintId } from '../secret/mint.ts'
import type { UsageBatch } from '../storage/contract.ts'

/** A batch has to be stored within the storage's time limit, so more keys take several. */
const MAX_KEYS_IN_BATCH = 1_000

/** The uses of one key since the last batch. */
interface Tally {
  uses: number
  lastUsedAtMs: number
}

/** Delivers one batch; rejects when it may not have been stored. */
type Deliver = (batch: UsageBatch) => Promise<void>

/**
 * Counts uses in memory and delivers them in numbered batches of at most 1,000 keys. A batch that
 * failed is delivered again unchanged, under its number, before the next: so a storage counts each
 * batch once.
 */
export class UsageCounter {
  readonly #deliver: Deliver
  readonly #intervalMs: number
  // Minted with the first batch: some runtimes refuse random values while their modules load.
  #writer: string | null = null
  #tallies = new Map<string, Tally>()
  /** Batches to deliver, in the order of their numbers. */
  readonly #pending: UsageBatch[] = []
  #sequence = 0
  #timer: ReturnType<typeof setTimeout> | null = null
  #flushing: Promise<void> | null = null

  constructor(deliver: Deliver, intervalMs: number) {
    this.#deliver = deliver
    this.#intervalMs = intervalMs
  }

  /** Counts one use, in memory only. */
  count(id: string, atMs: number): void {
    const tally = this.#tallies.get(id)
    if (tally === undefined) {
      this.#tallies.set(id, { uses: 1, lastUsedAtMs: atMs })
      if (this.#timer === null) this.#schedule()
      return
    }
    tally.uses += 1
    if (atMs > tally.lastUsedAtMs) tally.lastUsedAtMs = atMs
  }

  /** Delivers everything counted before the call; rejects when the storage did not take it. */
  async flush(): Promise<void> {
    // A flush under way may have begun before the latest use: wait for it, then send the rest.
    await this.#flushing?.catch(() => {})
    await this.#flush()
  }

  #flush(): Promise<void> {
    this.#flushing ??= this.#deliverAll().finally(() => {
      this.#flushing = null
    })
    return this.#flushing
  }

  /** First the batches that are left from before, then everything counted since. */
  async #deliverAll(): Promise<void> {
    this.#cancel()
    try {
      await this.#deliverPending()
      this.#fillBatches()
      await this.#deliverPending()
    } finally {
      const left = this.#pending.length > 0 || this.#tallies.size > 0
      if (left && this.#timer === null) this.#schedule()
    }
  }

  async #deliverPending(): Promise<void> {
    for (let [batch] = this.#pending; batch !== undefined; [batch] = this.#pending) {
      await this.#deliver(batch)
      this.#pending.shift()
      // A storage that answers synchronously would block the process until the last batch.
      if (this.#pending.length > 0) await new Promise((resolve) => setTimeout(resolve, 0))
    }
  }

  #fillBatches(): void {
    const uses = Array.from(this.#tallies, ([id, tally]) => ({ id, ...tally }))
    this.#tallies = new Map()
    for (let start = 0; start < uses.length; start += MAX_KEYS_IN_BATCH) {
      this.#writer ??= mintId('wrt')
      this.#sequence += 1
      const part = uses.slice(start, start + MAX_KEYS_IN_BATCH)
      this.#pending.push({ writer: this.#writer, sequence: this.#sequence, uses: part })
    }
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#flush().catch(() => {})
    }, this.#intervalMs)
    unref(this.#timer)
  }

  #cancel(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }
}
