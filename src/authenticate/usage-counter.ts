import { type HostCalls, same } from '../lib/host-calls.ts'
import { nextTurn, unref } from '../lib/within-time.ts'
import type { KeyDenialReason, UsageOutcome } from '../model/denial.ts'
import type { UsageHistorySettings } from '../options.ts'
import { mintId } from '../secret/mint.ts'
import type { HourlyCount, KeyStorage, KeyUses, UsageBatch } from '../storage/contract.ts'
import { HOUR_MS } from '../usage/periods.ts'

/** A batch has to be stored within the storage's time limit, so more keys than this take several batches. */
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

interface Hour {
  readonly hour: number
  accepted: number
  /** Refusals by their reasons; most keys have none. */
  refused: Map<UsageOutcome, number> | null
}

class UsageCount {
  readonly #id: string
  #lastUsedAtMs = Number.NEGATIVE_INFINITY
  /** The hour of the last request: nearly always that of the next one too. */
  #current: Hour
  /** Usually one: a batch is written every second. */
  readonly #hours: Hour[] = []

  constructor(id: string, atMs: number) {
    this.#id = id
    this.#current = this.#hourOf(Math.floor(atMs / HOUR_MS))
  }

  accept(atMs: number): void {
    this.#moveTo(Math.floor(atMs / HOUR_MS))
    this.#current.accepted += 1
    if (atMs > this.#lastUsedAtMs) this.#lastUsedAtMs = atMs
  }

  refuse(reason: UsageOutcome, atMs: number): void {
    this.#moveTo(Math.floor(atMs / HOUR_MS))
    this.#current.refused ??= new Map()
    this.#current.refused.set(reason, (this.#current.refused.get(reason) ?? 0) + 1)
  }

  /** The uses, if there are any. */
  uses(): KeyUses[] {
    const uses = this.#hours.reduce((sum, { accepted }) => sum + accepted, 0)
    return uses === 0 ? [] : [{ id: this.#id, uses, lastUsedAtMs: this.#lastUsedAtMs }]
  }

  /** The same by hour, and the refusals. */
  counts(): HourlyCount[] {
    return this.#hours.flatMap(({ hour, accepted, refused }) => {
      const outcomes: [UsageOutcome, number][] = [...(refused ?? [])]
      if (accepted > 0) outcomes.unshift(['accepted', accepted])
      return outcomes.map(([outcome, count]) => ({ id: this.#id, hour, outcome, count }))
    })
  }

  #moveTo(hour: number): void {
    if (this.#current.hour !== hour) this.#current = this.#hourOf(hour)
  }

  #hourOf(hour: number): Hour {
    const known = this.#hours.find((counted) => counted.hour === hour)
    if (known !== undefined) return known
    const added = { hour, accepted: 0, refused: null }
    this.#hours.push(added)
    return added
  }
}

/**
 * Counts uses in memory and delivers them in numbered batches of at most 1,000 keys. A batch that failed is
 * delivered again unchanged, under its number, before the next: so a storage counts each batch once. One that
 * the storage refuses for good is separated, under new numbers, and what is refused again is given up:
 * otherwise it would keep all later ones waiting.
 */
export class UsageCounter {
  readonly #deliver: Deliver
  readonly #intervalMs: number
  readonly #history: UsageHistorySettings | null
  readonly #onLoss: (loss: Error) => void
  readonly #onFailedFlush: (error: unknown) => void
  // Minted with the first batch: some runtimes refuse random values while their modules load.
  #writer: string | null = null
  #counts = new Map<string, UsageCount>()
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
  count(id: string, atMs: number): void {
    this.#countOf(id, atMs).accept(atMs)
  }

  /** Counts one refusal, in memory only and only for the history. */
  countDenial(id: string, reason: KeyDenialReason, atMs: number): void {
    if (this.#history !== null) this.#countOf(id, atMs).refuse(reason, atMs)
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
      const left = this.#pending.length > 0 || this.#counts.size > 0
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

  #countOf(id: string, atMs: number): UsageCount {
    const known = this.#counts.get(id)
    if (known !== undefined) return known
    const count = new UsageCount(id, atMs)
    this.#counts.set(id, count)
    if (this.#timer === null) this.#schedule()
    return count
  }

  #fillBatches(): void {
    const counted = this.#counts
    this.#counts = new Map()
    let part: UsagePart = { uses: [], counts: [] }
    let keys = 0
    for (const count of counted.values()) {
      const counts = this.#history === null ? [] : count.counts()
      const isFull = part.counts.length + counts.length > MAX_COUNTS_IN_BATCH
      if (keys === MAX_KEYS_IN_BATCH || (keys > 0 && isFull)) {
        this.#pending.push(part)
        part = { uses: [], counts: [] }
        keys = 0
      }
      keys += 1
      part.uses.push(...count.uses())
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

/** Delivers a batch of uses to the storage. Rejects as an outage. */
export async function deliverUses(
  { calls, storage }: { readonly calls: HostCalls; readonly storage: KeyStorage },
  batch: UsageBatch,
): Promise<Refusal | null> {
  try {
    await calls.attempt('addUses', (call) => storage.addUses(batch, call), same)
    return null
  } catch (error) {
    if (isRefusal(error)) return { cause: error }
    throw calls.fault('addUses', error)
  }
}

function isRefusal(error: unknown): boolean {
  return Object(error).code === 'unstorable_value'
}

export interface UsagePart {
  readonly uses: KeyUses[]
  readonly counts: HourlyCount[]
}

/** The storage can never store a batch as it is, and has stored nothing of it. */
export interface Refusal {
  /** What it rejected with. */
  readonly cause: unknown
}

/**
 * The parts of one that the storage refused, of which it may take some: the uses, and the counts of each
 * outcome. Empty when there is nothing to separate.
 */
export function separated({ uses, counts }: UsagePart): readonly UsagePart[] {
  const outcomes = new Set(counts.map(({ outcome }) => outcome))
  const parts: UsagePart[] = Array.from(outcomes, (one) => ({
    uses: [],
    counts: counts.filter(({ outcome }) => outcome === one),
  }))
  if (uses.length > 0) parts.unshift({ uses, counts: [] })
  return parts.length > 1 ? parts : []
}

export function lossOf({ counts: [first] }: UsagePart, { cause }: Refusal): Error {
  const what =
    first === undefined
      ? 'uses'
      : `requests with the outcome "${first.outcome}", for which its schema may be too old`
  return new Error(`The storage refused to count ${what}: these counts are lost.`, { cause })
}
