import {
  type HourlyCount,
  outcomeCode,
  USAGE_OUTCOMES,
  type UsageHistoryBatch,
} from '../../../src/storage/index.ts'
import { brokenColumn, integerIn, rowFrom } from './row.ts'
import { checkInteger } from './storable.ts'
import { StorageError } from './storage-error.ts'

/** The outcomes by the codes that a database keeps for them. */
const OUTCOMES = new Map(USAGE_OUTCOMES.map((outcome) => [outcomeCode(outcome), outcome]))

/** The highest code, for a constraint. */
export const HIGHEST_CODE = Math.max(...OUTCOMES.keys())

/** How many old hours, and how many old days, one batch deletes: more than it adds, in little time. */
export const MOST_DELETED = 2_000

/** A count with its outcome as a code. Throws `StorageError` (`unstorable_value`). */
export function storableCount({ id, hour, outcome, count }: HourlyCount) {
  for (const number of [hour, count]) checkInteger(number)
  const isKnown = USAGE_OUTCOMES.includes(outcome)
  if (isKnown && count >= 1) return { id, hour, outcome: outcomeCode(outcome), count }
  throw new StorageError('unstorable_value', 'a count must have a known outcome and be at least 1')
}

/** The count in a row. Throws `StorageError` (`broken_row`) rather than guess. */
export function periodCountFrom(value: unknown) {
  const row = rowFrom(value)
  const outcome = OUTCOMES.get(integerIn(row, 'outcome')) ?? brokenColumn('outcome')
  return { at: integerIn(row, 'at'), outcome, count: integerIn(row, 'count') }
}

/** What the history of a storage holds. */
export interface StoredHistory {
  /** The first hour that was kept so far. */
  readonly firstHour: number
  /** The newest day before yesterday with a count; `null` without one. */
  readonly knownDay: number | null
}

/**
 * The first hour and the first day that are kept at an instant, and the hour that it is in.
 *
 * Where `knownDay` is not the day before yesterday, it stands for today: the clock may be wrong, and
 * what it deletes is lost. A clock that is right is believed again two days after new requests. Hours
 * that were deleted do not come back, so the first one never moves back, unless it is ahead of today.
 */
export function keptAt(
  nowMs: number,
  { hourlyForDays, dailyForDays }: Omit<UsageHistoryBatch, 'counts'>,
  { firstHour, knownDay }: StoredHistory,
) {
  const today = Math.floor(nowMs / 86_400_000)
  const believed = knownDay !== null && knownDay < today - 2 ? knownDay : today
  return {
    firstHour: Math.max((believed - hourlyForDays) * 24, Math.min(firstHour, today * 24)),
    firstDay: believed - dailyForDays,
    currentHour: Math.floor(nowMs / 3_600_000),
  }
}

/** The newest day that {@link StoredHistory} may know at an instant. */
export function newestKnownDay(nowMs: number): number {
  return Math.floor(nowMs / 86_400_000) - 2
}
