import { count, type OptionChecks } from '../lib/option-checks.ts'

/** How long the history of usage is kept. @inline */
export interface UsageHistoryOptions {
  /** For how many whole days in UTC before today hours are kept, 1 to 400. Default 32. */
  readonly keepDays?: number
}

export type UsageHistorySettings = Required<UsageHistoryOptions>

const MOST_DAYS = 400

/** Throws a `TypeError` that names the option at fault; `null` when no history is kept. */
export function checkUsageHistory(
  checks: OptionChecks,
  options: UsageHistoryOptions | false = {},
): UsageHistorySettings | null {
  if (options === false) return null
  const rules = { keepDays: count(1, MOST_DAYS) }
  const { keepDays = 32 } = checks.object(options, rules, 'usageHistory')
  return { keepDays }
}
