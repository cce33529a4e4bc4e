import {
  type HourlyCount,
  outcomeCode,
  USAGE_OUTCOMES,
  type UsageOutcome,
} from '../../../src/storage/index.ts'
import { brokenColumn, integerIn, type SqlRow } from './sql/cells.ts'
import { checkInteger } from './storable.ts'
import { StorageError } from './storage-error.ts'

/** The outcomes by the codes that a database keeps for them. */
const OUTCOMES = new Map(USAGE_OUTCOMES.map((outcome) => [outcomeCode(outcome), outcome]))

/** How many old hours one batch deletes: more than it adds, in little time. */
export const MOST_DELETED = 2_000

/** A count with its outcome as a code. Throws `StorageError` (`unstorable_value`). */
export function storableCount({ id, hour, outcome, count }: HourlyCount) {
  for (const number of [hour, count]) checkInteger(number)
  const isKnown = USAGE_OUTCOMES.includes(outcome)
  if (isKnown && count >= 1) return { id, hour, outcome: outcomeCode(outcome), count }
  throw new StorageError('unstorable_value', 'a count must have a known outcome and be at least 1')
}

/** The outcome whose code is in a column. */
export function outcomeIn(row: SqlRow, column: string): UsageOutcome {
  return OUTCOMES.get(integerIn(row, column)) ?? brokenColumn(column)
}
