import { fixedDate } from '../lib/fixed-date.ts'
import { KEY_DENIAL_REASONS, type KeyDenialReason } from '../model/denial.ts'
import type { PeriodCount, PeriodRange, UsageCounts } from '../storage/contract.ts'
import { HOUR_MS, hourAt } from './periods.ts'
import type { Zone } from './zone.ts'

/**
 * The requests of one hour or day.
 *
 * @inline
 */
export type UsageBucket = {
  /** When it begins. */
  readonly startsAt: Date
  /** When the next one begins. */
  readonly endsAt: Date
  /** How many requests were accepted. */
  readonly accepted: number
  /** How many were refused, by the reason of the denial. */
  readonly denied: Readonly<Record<KeyDenialReason, number>>
}

/** One hour or day to count in, in milliseconds since the epoch. */
export interface Period {
  readonly startMs: number
  readonly endMs: number
  /** The date in the zone, as a number since 1970-01-01; `null` for an hour. */
  readonly date: number | null
}

/** The hours from `fromMs` until `toMs`. */
export function hoursBetween(fromMs: number, toMs: number): Period[] {
  const first = hourAt(fromMs)
  const length = hourAt(toMs - 1) - first + 1
  return Array.from({ length }, (_, index) => {
    const startMs = (first + index) * HOUR_MS
    return { startMs, endMs: startMs + HOUR_MS, date: null }
  })
}

/** The days of a zone from `fromMs` until `toMs`. */
export function daysBetween(zone: Zone, fromMs: number, toMs: number): Period[] {
  const last = zone.dateAt(toMs - 1)
  const days: Period[] = []
  // From the last, since a day ends where the next one begins.
  let endMs = startAfter(zone, last)
  for (let date = last; date >= zone.dateAt(fromMs); date -= 1) {
    const startMs = zone.startOf(date)
    if (startMs === null) continue
    days.push({ startMs, endMs, date })
    endMs = startMs
  }
  return days.reverse()
}

/** When the date after this one begins. A zone has skipped one date at most. */
function startAfter(zone: Zone, date: number): number {
  return zone.startOf(date + 1) ?? (zone.startOf(date + 2) as number)
}

/** The hours in UTC that begin in a list of periods. */
export function hoursOf(periods: readonly Period[]): PeriodRange {
  const first = periods[0] as Period
  const last = periods.at(-1) as Period
  return { from: Math.ceil(first.startMs / HOUR_MS), to: Math.ceil(last.endMs / HOUR_MS) }
}

/** The dates of a list of days; none for hours. */
export function datesOf(periods: readonly Period[]): PeriodRange {
  const { date: first } = periods[0] as Period
  const { date: last } = periods.at(-1) as Period
  return first === null || last === null ? { from: 0, to: 0 } : { from: first, to: last + 1 }
}

/** Puts each count into its period: an hour where it begins, a day in UTC where the date is the same. */
export function bucketsOf(periods: readonly Period[], { hours, days }: UsageCounts): UsageBucket[] {
  const sums = periods.map((period) => ({ period, accepted: 0, denied: noDenials() }))
  const add = (index: number, { outcome, count }: PeriodCount) => {
    const sum = sums[index]
    if (sum === undefined) return
    if (outcome === 'accepted') sum.accepted += count
    else sum.denied[outcome] += count
  }
  const starts = periods.map(({ startMs }) => startMs)
  for (const hour of hours) add(lastUpTo(starts, hour.at * HOUR_MS), hour)
  const dates = periods.map(({ date }) => Number(date))
  for (const day of days) add(lastUpTo(dates, day.at), day)
  return sums.map(({ period: { startMs, endMs }, accepted, denied }) =>
    Object.freeze({
      startsAt: fixedDate(startMs),
      endsAt: fixedDate(endMs),
      accepted,
      denied: Object.freeze(denied),
    }),
  )
}

function noDenials(): Record<KeyDenialReason, number> {
  const none = KEY_DENIAL_REASONS.map((reason) => [reason, 0])
  return Object.fromEntries(none)
}

/** The position of the last number that is not above `limit`, or -1, in a list that grows. */
function lastUpTo(numbers: readonly number[], limit: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] as number) <= limit) low = middle + 1
    else high = middle
  }
  return low - 1
}
