import type {
  HourlyCount,
  PeriodCount,
  PeriodRange,
  UsageCounts,
  UsageOutcome,
  UsageQuery,
} from '../../../../src/storage/index.ts'
import type { keptAt } from '../usage-history.ts'

type Counts = Map<UsageOutcome, number>

type Kept = ReturnType<typeof keptAt>

/** The requests of one key by hour, and by day where their hours are too old. */
export class History {
  readonly #hours = new Map<number, Counts>()
  readonly #days = new Map<number, Counts>()
  /** What was kept when it was last looked for what is too old. */
  #kept: Kept | null = null

  /** Adds a count, and returns the hour that it counts for. */
  add({ hour, outcome, count }: HourlyCount, { firstHour, currentHour }: Kept): number {
    const bounded = Math.max(firstHour, Math.min(hour, currentHour))
    addTo(this.#hours, bounded, [[outcome, count]])
    return bounded
  }

  /** Turns hours that are too old into days, and drops days that are: once a day. */
  roll(kept: Kept): void {
    const { firstHour, firstDay } = kept
    if (this.#kept?.firstHour === firstHour && this.#kept.firstDay === firstDay) return
    this.#kept = kept
    for (const [hour, counts] of this.#hours) {
      if (hour >= firstHour) continue
      addTo(this.#days, Math.floor(hour / 24), counts)
      this.#hours.delete(hour)
    }
    for (const day of this.#days.keys()) if (day < firstDay) this.#days.delete(day)
  }

  hours(range: PeriodRange): PeriodCount[] {
    return within(this.#hours, range)
  }

  days(range: PeriodRange): PeriodCount[] {
    return within(this.#days, range)
  }
}

/** The counts of several keys together. */
export function countsOf(histories: readonly History[], { hours, days }: UsageQuery): UsageCounts {
  return {
    hours: addedUp(histories.flatMap((history) => history.hours(hours))),
    days: addedUp(histories.flatMap((history) => history.days(days))),
  }
}

function addedUp(counts: readonly PeriodCount[]): PeriodCount[] {
  const sums = new Map<number, Counts>()
  for (const { at, outcome, count } of counts) addTo(sums, at, [[outcome, count]])
  return within(sums, { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY })
}

function addTo(
  periods: Map<number, Counts>,
  at: number,
  added: Iterable<readonly [UsageOutcome, number]>,
): void {
  const counts: Counts = periods.get(at) ?? new Map()
  periods.set(at, counts)
  for (const [outcome, count] of added) {
    counts.set(outcome, Math.min((counts.get(outcome) ?? 0) + count, Number.MAX_SAFE_INTEGER))
  }
}

function within(periods: ReadonlyMap<number, Counts>, { from, to }: PeriodRange): PeriodCount[] {
  return [...periods].flatMap(([at, counts]) =>
    at < from || at >= to ? [] : Array.from(counts, ([outcome, count]) => ({ at, outcome, count })),
  )
}
