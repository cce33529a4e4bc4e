import type {
  HourlyCount,
  PeriodCount,
  PeriodRange,
  UsageCounts,
  UsageOutcome,
  UsageQuery,
} from '../../../../src/storage/index.ts'

type Counts = Map<UsageOutcome, number>

/** The requests of one key by hour and by day: each count is in both. */
export class History {
  readonly #hours = new Map<number, Counts>()
  readonly #days = new Map<number, Counts>()

  add({ hour, outcome, count }: HourlyCount): void {
    addTo(this.#hours, { at: hour, outcome, count })
    addTo(this.#days, { at: Math.floor(hour / 24), outcome, count })
  }

  /** Drops hours and days before the first ones that are kept. */
  forget({ firstHour, firstDay }: { readonly firstHour: number; readonly firstDay: number }): void {
    for (const hour of this.#hours.keys()) if (hour < firstHour) this.#hours.delete(hour)
    for (const day of this.#days.keys()) if (day < firstDay) this.#days.delete(day)
  }

  hours(range: PeriodRange): PeriodCount[] {
    return within(this.#hours, range)
  }

  days(range: PeriodRange): PeriodCount[] {
    return within(this.#days, range)
  }
}

/** The counts of several keys together: days only before the first hour that is kept. */
export function countsOf(
  histories: readonly History[],
  { hours, days }: UsageQuery,
  firstHour: number,
): UsageCounts {
  const ofDays = { ...days, to: Math.min(days.to, Math.floor(firstHour / 24)) }
  return {
    hours: addedUp(histories.flatMap((history) => history.hours(hours))),
    days: addedUp(histories.flatMap((history) => history.days(ofDays))),
  }
}

function addedUp(counts: readonly PeriodCount[]): PeriodCount[] {
  const sums = new Map<number, Counts>()
  for (const count of counts) addTo(sums, count)
  return within(sums, { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY })
}

function addTo(periods: Map<number, Counts>, { at, outcome, count }: PeriodCount): void {
  const counts: Counts = periods.get(at) ?? new Map()
  periods.set(at, counts)
  counts.set(outcome, Math.min((counts.get(outcome) ?? 0) + count, Number.MAX_SAFE_INTEGER))
}

function within(periods: ReadonlyMap<number, Counts>, { from, to }: PeriodRange): PeriodCount[] {
  return [...periods].flatMap(([at, counts]) =>
    at < from || at >= to ? [] : Array.from(counts, ([outcome, count]) => ({ at, outcome, count })),
  )
}
