import type { OptionChecks } from '../lib/option-checks.ts'

/**
 * How long the history of usage is kept, in whole days in UTC before today.
 *
 * @inline
 */
export interface UsageHistoryOptions {
  /** For how many days hours are kept apart, 1 to 366. Days stand for older hours. Default 30. */
  readonly hourlyForDays?: number
  /** For how many days days are kept, from `hourlyForDays` to 3,660. Default 400. */
  readonly dailyForDays?: number
}

/** Checked options with their defaults filled in. */
export type UsageHistorySettings = Required<UsageHistoryOptions>

const KNOWN: Readonly<Record<keyof UsageHistoryOptions, true>> = {
  hourlyForDays: true,
  dailyForDays: true,
}

const MOST_HOURLY_DAYS = 366
const MOST_DAILY_DAYS = 3_660

/** Throws a `TypeError` that names the option at fault; `null` when no history is kept. */
export function checkUsageHistory(
  checks: OptionChecks,
  options: UsageHistoryOptions | false = {},
): UsageHistorySettings | null {
  if (options === false) return null
  const own = checks.object(options, KNOWN, 'usageHistory')
  const { hourlyForDays = 30, dailyForDays = 400 } = own
  const check = (name: string, days: number, least: number, most: number) =>
    checks.that(
      Number.isSafeInteger(days) && days >= least && days <= most,
      `option "usageHistory.${name}" must be a whole number from ${least} to ${most}.`,
    )
  check('hourlyForDays', hourlyForDays, 1, MOST_HOURLY_DAYS)
  check('dailyForDays', dailyForDays, hourlyForDays, MOST_DAILY_DAYS)
  return { hourlyForDays, dailyForDays }
}
