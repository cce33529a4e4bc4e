import { fixedDate } from '../lib/fixed-date.ts'
import { KEY_DENIAL_REASONS, type KeyDenialReason } from '../model/denial.ts'
import type { HourlyTotal, UsageQuery } from '../storage/contract.ts'
import { HOUR_MS } from './periods.ts'

/** The requests of one hour. @inline */
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

export function bucketsOf(
  { fromHour, toHour }: Pick<UsageQuery, 'fromHour' | 'toHour'>,
  totals: readonly HourlyTotal[],
): UsageBucket[] {
  const sums = Array.from({ length: toHour - fromHour }, () => ({
    accepted: 0,
    denied: noDenials(),
  }))
  for (const { hour, outcome, count } of totals) {
    const sum = sums[hour - fromHour]
    if (sum === undefined) continue
    if (outcome === 'accepted') sum.accepted += count
    else sum.denied[outcome] += count
  }
  return sums.map(({ accepted, denied }, index) => {
    const startMs = (fromHour + index) * HOUR_MS
    return Object.freeze({
      startsAt: fixedDate(startMs),
      endsAt: fixedDate(startMs + HOUR_MS),
      accepted,
      denied: Object.freeze(denied),
    })
  })
}

function noDenials(): Record<KeyDenialReason, number> {
  return Object.fromEntries(KEY_DENIAL_REASONS.map((reason) => [reason, 0])) as Record<
    KeyDenialReason,
    number
  >
}
