import { type HostCalls, same } from '../lib/host-calls.ts'
import { hourAt } from '../lib/values.ts'
import { nextTurn, unref } from '../lib/within-time.ts'
import type { UsageOutcome } from '../model/denial.ts'
import type { UsageHistorySettings } from '../options.ts'
import { mintId } from '../secret/mint.ts'
import type { HourlyCount, KeyStorage, KeyUses, UsageBatch } from '../storage/contract.ts'

/** A batch has to be stored within the storage's time limit, so more keys than this take several batches. */
const MAX_KEYS_IN_BATCH = 1_000

/** The same for counts by hour: a key has several after an outage of hours. */
const MAX_COUNTS_IN_BATCH = 2_000

interface UsageCounterParts {
  readonly calls: HostCalls
  readonly storage: KeyStorage
  /** How often batches are written. */
  readonly intervalMs: number
  readonly history: UsageHistorySettings | null
}

/** What goes into one batch. */
interface Part {
  readonly uses: KeyUses[]
  readonly counts: HourlyCount[]
}

type Counts = Map<UsageOutcome, number>

/** What was counted of one key since the last batch. */
class UsageCount {
  #lastUsedAtMs = Number.NEGATIVE_INFINITY
  readonly #hours = new Map<number, Counts>()

  add(outcome: UsageOutcome, atMs: number): void {
    const hour = hourAt(atMs)
    const counts = this.#hours.get(hour) ?? this.#addHour(hour)
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
    if (outcome === 'accepted' && atMs > this.#lastUsedAtMs) this.#lastUsedAtMs = atMs
  }

  #addHour(hour: number): Counts {
    const counts: Counts = new Map()
    this.#hours.set(hour, counts)
    return counts
  }

  /** The uses, if there are any, and the same by hour with the refusals. */
  partOf(id: string): Part {
    const counts = [...this.#hours].flatMap(([hour, counts]) =>
      [...counts].map(([outcome, count]) => ({ id, hour, outcome, count })),
    )
    const accepted = counts.filter(({ outcome }) => outcome === 'accepted')
    const uses = accepted.reduce((sum, { count }) => sum + count, 0)
    const lastUsedAtMs = this.#lastUsedAtMs
    return { counts, uses: uses === 0 ? [] : [{ id, uses, lastUsedAtMs }] }
  }
}

/**
 * Counts uses in memory and delivers them in numbered batches of at most 1,000 keys. A batch that failed is
 * delivered again unchanged, under its number, before the next: so a storage counts each batch once. One that
 * the storage refuses for good is separated, under new numbers, and what is refused again is given up:
 * otherwise it would keep all later ones waiting.
 */
export class UsageCounter {
  readonly #parts: UsageCounterParts
  // Minted with the first batch: some runtimes refuse random values while their modules load.
  #writer: string | null = null
  #counts = new Map<string, UsageCount>()
  /** What to deliver, the oldest first. */
  readonly #pending: Part[] = []
  /** The first of them, once it has a number. */
  #batch: UsageBatch | null = null
  #sequence = 0
  #timer: ReturnType<typeof setTimeout> | null = null
  #flushing: Promise<void> | null = null

  constructor(parts: UsageCounterParts) {
    this.#parts = parts
  }

  /** Counts one request, in memory only; a refused one only for the history. */
  count(id: string, outcome: UsageOutcome, atMs: number): void {
    if (outcome !== 'accepted' && this.#parts.history === null) return
    let count = this.#counts.get(id)
    if (count === undefined) {
      count = new UsageCount()
      this.#counts.set(id, count)
      if (this.#timer === null) this.#schedule()
    }
    count.add(outcome, atMs)
  }

  /** Delivers everything counted before the call; rejects as an outage when the storage did not answer. */
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
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    try {
      await this.#deliverPending()
      this.#fillBatches()
      await this.#deliverPending()
    } finally {
      const left = this.#pending.length > 0 || this.#counts.size > 0
      if (left && this.#timer === null) this.#schedule()
    }
  }

  async #deliverPending(): Promise<void> {
    for (let [part] = this.#pending; part !== undefined; [part] = this.#pending) {
      const left = await this.#deliver(part)
      this.#batch = null
      this.#pending.splice(0, 1, ...left)
      // A storage that answers synchronously would block the process until the last batch.
      if (this.#pending.length > 0) await nextTurn()
    }
  }

  /** Resolves with what is left to deliver of the part. */
  async #deliver(part: Part): Promise<readonly Part[]> {
    const { calls, storage } = this.#parts
    const batch = this.#batch ?? this.#batchOf(part)
    this.#batch = batch
    try {
      await calls.attempt('addUses', (call) => storage.addUses(batch, call), same)
      return []
    } catch (error) {
      if (Object(error).code !== 'unstorable_value') throw calls.fault('addUses', error)
      const parts = separated(part)
      if (parts.length === 0) calls.fault('addUses', lossOf(part, error))
      return parts
    }
  }

  #fillBatches(): void {
    const counted = this.#counts
    this.#counts = new Map()
    let part: Part = { uses: [], counts: [] }
    let keys = 0
    for (const [id, count] of counted) {
      const { uses, counts } = count.partOf(id)
      const isFull = part.counts.length + counts.length > MAX_COUNTS_IN_BATCH
      if (keys === MAX_KEYS_IN_BATCH || (keys > 0 && isFull)) {
        this.#pending.push(part)
        part = { uses: [], counts: [] }
        keys = 0
      }
      keys += 1
      part.uses.push(...uses)
      if (this.#parts.history !== null) part.counts.push(...counts)
    }
    if (keys > 0) this.#pending.push(part)
  }

  #batchOf({ uses, counts }: Part): UsageBatch {
    this.#writer ??= mintId('wrt')
    this.#sequence += 1
    const batch = { writer: this.#writer, sequence: this.#sequence, uses }
    const { history } = this.#parts
    const hasHistory = history !== null && counts.length > 0
    return hasHistory ? { ...batch, history: { ...history, counts } } : batch
  }

  #schedule(): void {
    const { calls, intervalMs } = this.#parts
    this.#timer = setTimeout(() => {
      this.#timer = null
      // Nobody waits for it, and it is tried again.
      this.#flush().catch((error: unknown) => calls.report('addUses', error))
    }, intervalMs)
    unref(this.#timer)
  }
}

/**
 * The parts of one that the storage refused, of which it may take some: the uses, and the counts of each
 * outcome. Empty when there is nothing to separate.
 */
function separated({ uses, counts }: Part): readonly Part[] {
  const outcomes = new Set(counts.map(({ outcome }) => outcome))
  const parts: Part[] = Array.from(outcomes, (one) => ({
    uses: [],
    counts: counts.filter(({ outcome }) => outcome === one),
  }))
  if (uses.length > 0) parts.unshift({ uses, counts: [] })
  return parts.length > 1 ? parts : []
}

function lossOf({ counts: [first] }: Part, cause: unknown): Error {
  const what =
    first === undefined
      ? 'uses'
      : `requests with the outcome "${first.outcome}", for which its schema may be too old`
  return new Error(`The storage refused to count ${what}: these counts are lost.`, { cause })
}
