import type { UsageOutcome } from '../model/usage-outcome.ts'
import type { HourlyCount, KeyUses } from '../storage/contract.ts'
import { hourAt } from './periods.ts'

/** The requests of one key in one hour. */
interface Hour {
  readonly hour: number
  accepted: number
  /** Refusals by their reasons; most keys have none. */
  refused: Map<UsageOutcome, number> | null
}

/** What was counted of one key since the last batch. */
export class Tally {
  /** Whether it is not in a batch yet. */
  isOpen = true
  readonly #id: string
  #lastUsedAtMs = Number.NEGATIVE_INFINITY
  /** The hour of the last request: nearly always that of the next one too. */
  #current: Hour
  /** Usually one: a batch is written every second. */
  readonly #hours: Hour[] = []

  constructor(id: string, atMs: number) {
    this.#id = id
    this.#current = this.#hourOf(hourAt(atMs))
  }

  accept(atMs: number): void {
    this.#moveTo(hourAt(atMs))
    this.#current.accepted += 1
    if (atMs > this.#lastUsedAtMs) this.#lastUsedAtMs = atMs
  }

  refuse(reason: UsageOutcome, atMs: number): void {
    this.#moveTo(hourAt(atMs))
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
