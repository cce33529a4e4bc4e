import type { Context } from '../context.ts'
import { fixedDate } from '../lib/fixed-date.ts'
import { DAY_MS, dayAt, HOUR_MS, hourAt } from '../lib/values.ts'
import { KEY_DENIAL_REASONS, type KeyDenialReason, type UsageOutcome } from '../model/denial.ts'
import { ApiKeyError, type InputIssue } from '../model/errors.ts'
import { usageAnswer } from '../storage/answers.ts'
import type { HourlyTotal, UsageQuery } from '../storage/contract.ts'
import { assertKeyId } from './get-key.ts'
import { parseInput } from './input/parse.ts'

/** Which requests to add up. @inline */
export interface KeyUsageQuery {
  /** Whose keys. */
  readonly workspaceId: string
  /** One key. Default: all keys of the workspace together. */
  readonly id?: string | undefined
  /** The start; the hour that it falls in counts as a whole. */
  readonly from: Date
  /** The end, after `from`; the hour that it falls in counts too, unless it begins there. */
  readonly to: Date
}

/**
 * The requests of a key or a workspace, by hour in UTC. For days, add up the hours that begin in each day of
 * a time zone.
 */
export interface UsageHistory {
  /** The hours, oldest first, without gaps: at most 800. */
  readonly buckets: readonly UsageBucket[]
}

const MOST_BUCKETS = 800

export async function keyUsage<S extends string>(
  context: Context<S>,
  input: KeyUsageQuery,
): Promise<UsageHistory> {
  const { workspaceId, id = null, ...range } = parseInput(context.schemas.usage, input)
  const { storage, usageHistory } = context.settings
  if (usageHistory === null) throw new ApiKeyError('usage_not_kept')
  const firstDay = dayAt(context.calls.clockMs()) - usageHistory.keepDays
  const hours = hoursOf(range, firstDay * DAY_MS)
  if (id !== null) assertKeyId(id)
  const totals = await context.calls.run(
    'usage',
    (call) => storage.usage(workspaceId, { id, ...hours }, call),
    usageAnswer,
  )
  if (totals === null) throw new ApiKeyError('key_not_found')
  return Object.freeze({ buckets: Object.freeze(bucketsOf(hours, totals)) })
}

function hoursOf(
  { from, to }: { readonly from: number; readonly to: number },
  earliestMs: number,
): { readonly fromHour: number; readonly toHour: number } {
  const issues: InputIssue[] = []
  const refuse = (field: 'from' | 'to', message: string) =>
    issues.push({ path: [field], code: 'out_of_range', message })
  const [fromHour, toHour] = [hourAt(from), hourAt(to - 1) + 1]
  if (from < earliestMs) refuse('from', 'must not be earlier than the oldest hour that is kept.')
  if (to <= from) refuse('to', 'must be after "from".')
  else if (toHour - fromHour > MOST_BUCKETS) {
    refuse('to', `must be at most ${MOST_BUCKETS} hours after "from".`)
  }
  if (issues.length > 0) throw new ApiKeyError('invalid_input', { issues })
  return { fromHour, toHour }
}

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

function bucketsOf(
  { fromHour, toHour }: Pick<UsageQuery, 'fromHour' | 'toHour'>,
  totals: readonly HourlyTotal[],
): UsageBucket[] {
  const counts = new Map<string, number>()
  for (const { hour, outcome, count } of totals) {
    const name = `${hour} ${outcome}`
    counts.set(name, (counts.get(name) ?? 0) + count)
  }
  return Array.from({ length: toHour - fromHour }, (_, index) => {
    const hour = fromHour + index
    const countOf = (outcome: UsageOutcome) => counts.get(`${hour} ${outcome}`) ?? 0
    const denied = KEY_DENIAL_REASONS.map((reason) => [reason, countOf(reason)] as const)
    return Object.freeze({
      startsAt: fixedDate(hour * HOUR_MS),
      endsAt: fixedDate((hour + 1) * HOUR_MS),
      accepted: countOf('accepted'),
      denied: Object.freeze(Object.fromEntries(denied)) as UsageBucket['denied'],
    })
  })
}
