import {
  type HourlyCount,
  outcomeCode,
  USAGE_OUTCOMES,
  type UsageHistoryBatch,
} from '../../../src/storage/index.ts'
import { brokenColumn, integerIn, rowFrom } from './row.ts'
import { checkIntegers } from './storable.ts'
import { StorageError } from './storage-error.ts'

/** The outcomes by the codes that a database keeps for them. */
const OUTCOMES = new Map(USAGE_OUTCOMES.map((outcome) => [outcomeCode(outcome), outcome]))

/** The highest code, for a constraint. */
export const HIGHEST_CODE = Math.max(...OUTCOMES.keys())

/**
 * How many rows one batch moves from hours to days, and how many days it drops: more than it adds, so
 * that none are left behind, and few enough for its time.
 */
export const MOST_MOVED = 2_000

/** A count with its outcome as a code. Throws `StorageError` (`unstorable_value`). */
export function storableCount({ id, hour, outcome, count }: HourlyCount) {
  checkIntegers([hour, count])
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

/**
 * The first hour and the first day that are kept at an instant, and the hour that it is in.
 *
 * `knownDay` is the day of the newest count that was stored for an hour 24 hours ago or earlier; `null`
 * without one. Where it is not yesterday, it stands for today: the clock may be wrong, and what it
 * deletes is lost. A clock that is right is believed again after a day with requests.
 */
export function keptAt(
  nowMs: number,
  { hourlyForDays, dailyForDays }: Omit<UsageHistoryBatch, 'counts'>,
  knownDay: number | null,
) {
  const today = Math.floor(nowMs / 86_400_000)
  const believed = knownDay !== null && knownDay < today - 1 ? knownDay : today
  return {
    firstHour: (believed - hourlyForDays) * 24,
    firstDay: believed - dailyForDays,
    currentHour: Math.floor(nowMs / 3_600_000),
  }
}
