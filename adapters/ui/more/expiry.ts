import type { DateWriter } from '../format/dates.ts'

/** After how many days a key can be made to expire. */
const DAYS = ['7', '30', '60', '90'] as const

/** When a key is to expire: as it does now, as late as the plan allows, after so many days, on a day. */
export type ExpiryChoice = 'keep' | 'never' | 'plan' | 'date' | (typeof DAYS)[number]

/** What was chosen, and the day of a date field. */
export interface Expiry {
  readonly choice: ExpiryChoice
  readonly day: string
}

/** What a choice means now: by whose clocks, and until when the plan lets the key live. */
export interface ExpiryRules {
  readonly dates: Pick<DateWriter, 'dayIn' | 'endOf'>
  readonly now: number
  /** The latest end; `null` when the plan sets none. */
  readonly latest: number | null
}

/** A key that does not expire, or as late as the plan allows. */
export const noExpiry: Expiry = { choice: 'never', day: '' }

/** What can be chosen for a new key, or for one that has this end already. */
export function choicesFor(rules: ExpiryRules, end?: string | null): readonly ExpiryChoice[] {
  const days = DAYS.filter((choice) => !Number.isNaN(expiryOf({ choice, day: '' }, rules)))
  const open = rules.latest === null ? 'never' : 'plan'
  if (end === undefined) return [open, ...days, 'date']
  if (end === null) return ['never', ...days, 'date']
  return ['keep', ...(rules.latest === null ? (['never'] as const) : []), ...days, 'date']
}

/**
 * The instant that a choice stands for: `null` for never, nothing where the key or the plan decides, NaN
 * for a day that is no day, is past or is later than the plan allows.
 */
export function expiryOf({ choice, day }: Expiry, rules: ExpiryRules): number | null | undefined {
  if (choice === 'keep' || choice === 'plan') return undefined
  if (choice === 'never') return null
  const { dates, now, latest } = rules
  const end = dates.endOf(choice === 'date' ? day : dates.dayIn(Number(choice), now))
  return end > now && (latest === null || end <= latest) ? end : Number.NaN
}
