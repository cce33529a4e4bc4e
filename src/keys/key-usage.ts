import type { Context } from '../context.ts'
import { ApiKeyError, type InputIssue } from '../model/errors.ts'
import { usageAnswer } from '../storage/answers.ts'
import {
  bucketsOf,
  datesOf,
  daysBetween,
  hoursBetween,
  hoursOf,
  type Period,
  type UsageBucket,
} from '../usage/buckets.ts'
import type { UsageHistorySettings } from '../usage/history-options.ts'
import { DAY_MS, dayAt } from '../usage/periods.ts'
import { Zone } from '../usage/zone.ts'
import { parseInput } from './input/parse.ts'
import type { Parsed } from './input/schemas.ts'
import { isKeyId } from './key-id.ts'

/**
 * Which requests to add up, and how.
 *
 * @inline
 */
export interface KeyUsageQuery {
  /** Whose keys. */
  readonly workspaceId: string
  /** One key. Default: all keys of the workspace together. */
  readonly id?: string | undefined
  /** The start; the hour or day that it falls in counts as a whole. */
  readonly from: Date
  /** The end, after `from`; the hour or day that it falls in counts too, unless it begins there. */
  readonly to: Date
  /** Whether the answer has hours or days. */
  readonly by: 'hour' | 'day'
  /**
   * The IANA time zone that days begin in, such as `Asia/Riyadh`. Default `UTC`. Hours are those of
   * UTC: where midnight is not on one, an hour belongs to the day in which it begins. Days whose hours
   * are no longer kept are days in UTC under the same date.
   */
  readonly timeZone?: string | undefined
}

/** The requests of a key or a workspace, by hour or by day. */
export interface UsageHistory {
  /** The hours or days, oldest first, without gaps: at most 400. */
  readonly buckets: readonly UsageBucket[]
  /** Whether they are hours or days. */
  readonly by: 'hour' | 'day'
  /** The time zone that days begin in. */
  readonly timeZone: string
}

type PeriodQuery = Omit<Parsed<'usage'>, 'workspaceId' | 'id'>

const MOST_BUCKETS = 400

/** Adds up requests by hour or by day. */
export async function keyUsage<S extends string>(
  context: Context<S>,
  input: KeyUsageQuery,
): Promise<UsageHistory> {
  const { workspaceId, id = null, ...range } = parseInput(context.schemas.usage, input)
  const { storage, usageHistory } = context.settings
  if (usageHistory === null) throw new ApiKeyError('usage_not_kept')
  const periods = periodsOf(range, earliestMs(range.by, context.calls.clockMs(), usageHistory))
  if (id !== null && !isKeyId(id)) throw new ApiKeyError('key_not_found')
  const query = { id, hours: hoursOf(periods), days: datesOf(periods) }
  const counts = await context.calls.run(
    'usage',
    (call) => storage.usage(workspaceId, query, call),
    usageAnswer,
  )
  if (counts === null) throw new ApiKeyError('key_not_found')
  const { by, timeZone } = range
  return Object.freeze({ buckets: Object.freeze(bucketsOf(periods, counts)), by, timeZone })
}

/** The beginning of the first day in UTC whose hours or days are kept. */
function earliestMs(by: PeriodQuery['by'], nowMs: number, history: UsageHistorySettings): number {
  const days = by === 'hour' ? history.hourlyForDays : history.dailyForDays
  return (dayAt(nowMs) - days) * DAY_MS
}

/** The hours or days of the query. Throws `invalid_input`. */
function periodsOf({ from, to, by, timeZone }: PeriodQuery, earliest: number): readonly Period[] {
  const issues: InputIssue[] = []
  const refuse = (field: 'from' | 'to', message: string) =>
    issues.push({ path: [field], code: 'out_of_range', message })
  if (from < earliest) refuse('from', `must not be earlier than the oldest ${by} that is kept.`)
  if (to <= from) refuse('to', 'must be after "from".')
  const tooMany = `must be at most ${MOST_BUCKETS} ${by}s after "from".`
  // A bound first: to count in days asks the time zone about each. Clock changes lengthen a day.
  if (to - from > (MOST_BUCKETS + 1) * DAY_MS) refuse('to', tooMany)
  if (issues.length === 0) {
    const periods =
      by === 'hour' ? hoursBetween(from, to) : daysBetween(new Zone(timeZone), from, to)
    if (periods.length <= MOST_BUCKETS) return periods
    refuse('to', tooMany)
  }
  throw new ApiKeyError('invalid_input', { issues })
}
