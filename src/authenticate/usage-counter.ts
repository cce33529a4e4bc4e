import { nextTurn } from '../lib/next-turn.ts'
import { unref } from '../lib/within-time.ts'
import type { KeyDenialReason } from '../model/denial.ts'
import { mintId } from '../secret/mint.ts'
import type { UsageBatch } from '../storage/contract.ts'
import type { UsageHistorySettings } from '../usage/history-options.ts'
import { Tally } from '../usage/tally.ts'
import { lossOf, type Refusal, separated, type UsagePart } from '../usage/usage-part.ts'

/**
 * A batch has to be stored within the storage's time limit, so more keys than this take several
 * batches.
 */
const MAX_KEYS_IN_BATCH = 1_000

/** The same for counts by hour: a key has several after an outage of hours. */
const MAX_COUNTS_IN_BATCH = 2_000

/** Delivers one batch, or answers why it can never be stored; rejects when it may not have been. */
type Deliver = (batch: UsageBatch) => Promise<Refusal | null>

/** How often batches are written, what they keep by hour, and who learns of counts that are lost. */
export interface UsageCounterOptions {
  readonly intervalMs: number
  readonly history: UsageHistorySettings | null
  readonly onLoss: (loss: Error) => void
  /** Called with what a flush has thrown that nobody waits for; it is tried again. */
  readonly onFailedFlush: (error: unknown) => void
}

/** What uses are counted for. */
export interface Counted {
  readonly record: { readonly id: string }
  /** Where they are counted, until they are delivered. */
  tally: Tally | null
}

/**
 * Counts uses in memory and delivers them in numbered batches of at most 1,000 keys. A batch that
 * failed is delivered again unchanged, under its number, before the next: so a storage counts each
 * batch once. One that the storage refuses for good is separated, under new numbers, and what is refused
 * again is given up: otherwise it would keep all later ones waiting.
 */
export class UsageCounter {
  readonly #deliver: Deliver
  readonly #intervalMs: number
  readonly #history: UsageHistorySettings | null
  readonly #onLoss: (loss: Error) => void
  readonly #onFailedFlush: (error: unknown) => void
  // Minted with the first batch: some runtimes refuse random values while their modules load.
  #writer: string | null = null
  #tallies = new Map<string, Tally>()
  /** What to deliver, the oldest first. */
  readonly #pending: UsagePart[] = []
  /** The first of them, once it has a number. */
  #batch: UsageBatch | null = null
  #sequence = 0
  #timer: ReturnType<typeof setTimeout> | null = null
  #flushing: Promise<void> | null = null

  constructor(deliver: Deliver, options: UsageCounterOptions) {
    this.#deliver = deliver
    this.#onLoss = options.onLoss
    this.#onFailedFlush = options.onFailedFlush
    this.#intervalMs = options.intervalMs
    this.#history = options.history
  }

  /** Counts one use, in memory only. */
  count(counted: Counted, atMs: number): void {
    if (counted.tally?.isOpen !== true) counted.tally = this.#tallyOf(counted.record.id, atMs)
    counted.tally.accept(atMs)
  }

  /** Counts one refusal, in memory only and only for the history. */
  countDenial(id: string, reason: KeyDenialReason, atMs: number): void {
    if (this.#history !== null) this.#tallyOf(id, atMs).refuse(reason, atMs)
  }

  /** Delivers everything counted before the call; rejects when the storage did not answer. */
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
    for (let [part] = this.#pending; part !== undefined; [part] = this.#pending) {
      const left = await this.#deliverPart(part)
      this.#batch = null
      this.#pending.splice(0, 1, ...left)
      // A storage that answers synchronously would block the process until the last batch.
      if (this.#pending.length > 0) await nextTurn()
    }
  }

  /** Resolves with what is left to deliver of the part. */
  async #deliverPart(part: UsagePart): Promise<readonly UsagePart[]> {
    this.#batch ??= this.#batchOf(part)
    const refusal = await this.#deliver(this.#batch)
    if (refusal === null) return []
    const parts = separated(part)
    if (parts.length === 0) this.#onLoss(lossOf(part, refusal))
    return parts
  }

  #tallyOf(id: string, atMs: number): Tally {
    const known = this.#tallies.get(id)
    if (known !== undefined) return known
    const tally = new Tally(id, atMs)
    this.#tallies.set(id, tally)
    if (this.#timer === null) this.#schedule()
    return tally
  }

  #fillBatches(): void {
    const tallies = this.#tallies
    this.#tallies = new Map()
    let part: UsagePart = { uses: [], counts: [] }
    let keys = 0
    for (const tally of tallies.values()) {
      tally.isOpen = false
      const counts = this.#history === null ? [] : tally.counts()
      const isFull = part.counts.length + counts.length > MAX_COUNTS_IN_BATCH
      if (keys === MAX_KEYS_IN_BATCH || (keys > 0 && isFull)) {
        this.#pending.push(part)
        part = { uses: [], counts: [] }
        keys = 0
      }
      keys += 1
      part.uses.push(...tally.uses())
      part.counts.push(...counts)
    }
    if (keys > 0) this.#pending.push(part)
  }

  #batchOf({ uses, counts }: UsagePart): UsageBatch {
    this.#writer ??= mintId('wrt')
    this.#sequence += 1
    const batch = { writer: this.#writer, sequence: this.#sequence, uses }
    const history = this.#history
    const hasHistory = history !== null && counts.length > 0
    return hasHistory ? { ...batch, history: { ...history, counts } } : batch
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#flush().catch(this.#onFailedFlush)
    }, this.#intervalMs)
    unref(this.#timer)
  }

  #cancel(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }
}
