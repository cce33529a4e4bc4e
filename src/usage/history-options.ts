import type { OptionChecks } from '../lib/option-checks.ts'

/** How long the history of usage is kept. @inline */
export interface UsageHistoryOptions {
  /** For how many whole days in UTC before today hours are kept, 1 to 400. Default 32. */
  readonly keepDays?: number
}

/** Checked options with their defaults filled in. */
export type UsageHistorySettings = Required<UsageHistoryOptions>

const MOST_DAYS = 400

/** Throws a `TypeError` that names the option at fault; `null` when no history is kept. */
export function checkUsageHistory(
  checks: OptionChecks,
  options: UsageHistoryOptions | false = {},
): UsageHistorySettings | null {
  if (options === false) return null
  const { keepDays = 32 } = checks.object(options, { keepDays: true }, 'usageHistory')
  checks.that(
    Number.isSafeInteger(keepDays) && keepDays >= 1 && keepDays <= MOST_DAYS,
    `option "usageHistory.keepDays" must be a whole number from 1 to ${MOST_DAYS}.`,
  )
  return { keepDays }
}
