import type { HourlyCount, KeyUses, UsageOutcome } from '../storage/contract.ts'
import { hourAt } from './periods.ts'

/** The requests of one key in one hour. */
interface Hour {
  readonly hour: number
  readonly accepted: number
  /** Refusals by their reasons; most keys have none. */
  readonly refused: Map<UsageOutcome, number> | null
}

/** What was counted of one key since the last batch. */
export class Tally {
  /** Whether it is not in a batch yet. */
  isOpen = true
  readonly #id: string
  #lastUsedAtMs = Number.NEGATIVE_INFINITY
  /** The hour being counted, nearly always that of the next request too, and what is in it. */
  #hour: number
  #accepted = 0
  #refused: Map<UsageOutcome, number> | null = null
  /** Other hours. There are some only when a batch could not be written or the hour has changed. */
  #earlier: Hour[] | null = null

  constructor(id: string, atMs: number) {
    this.#id = id
    this.#hour = hourAt(atMs)
  }

  accept(atMs: number): void {
    this.#moveTo(hourAt(atMs))
    this.#accepted += 1
    if (atMs > this.#lastUsedAtMs) this.#lastUsedAtMs = atMs
  }

  refuse(reason: UsageOutcome, atMs: number): void {
    this.#moveTo(hourAt(atMs))
    this.#refused ??= new Map()
    this.#refused.set(reason, (this.#refused.get(reason) ?? 0) + 1)
  }

  /** The uses, if there are any. */
  uses(): KeyUses[] {
    const uses = this.#hours().reduce((sum, { accepted }) => sum + accepted, 0)
    return uses === 0 ? [] : [{ id: this.#id, uses, lastUsedAtMs: this.#lastUsedAtMs }]
  }

  /** The same by hour, and the refusals. */
  counts(): HourlyCount[] {
    return this.#hours().flatMap(({ hour, accepted, refused }) => {
      const outcomes: [UsageOutcome, number][] = [...(refused ?? [])]
      if (accepted > 0) outcomes.unshift(['accepted', accepted])
      return outcomes.map(([outcome, count]) => ({ id: this.#id, hour, outcome, count }))
    })
  }

  #hours(): readonly Hour[] {
    const current = { hour: this.#hour, accepted: this.#accepted, refused: this.#refused }
    return [...(this.#earlier ?? []), current]
  }

  #moveTo(hour: number): void {
    if (this.#hour === hour) return
    const hours = this.#hours()
    // The clock may have been set back into an hour that was counted before.
    const known = hours.find((counted) => counted.hour === hour)
    this.#earlier = hours.filter((counted) => counted !== known)
    this.#hour = hour
    this.#accepted = known?.accepted ?? 0
    this.#refused = known?.refused ?? null
  }
}
