import type { DateWriter } from '../format/dates.ts'
import type { MessageId } from '../strings/messages.ts'

const DAYS = ['7', '30', '60', '90'] as const

/** So much later than now a key ends at the earliest: the routes want a minute, and filling in takes time. */
const marginMs = 2 * 60_000

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

/** What can be chosen for a new key, or for one that has this end already. */
export function choicesFor(rules: ExpiryRules, end?: string | null): readonly ExpiryChoice[] {
  const { dates, latest } = rules
  const days = DAYS.filter((choice) => !Number.isNaN(expiryOf({ choice, day: '' }, rules)))
  const date = latest === null || dates.endOf(firstDay(rules)) <= latest
  const dated = [...days, ...(date ? (['date'] as const) : [])]
  const open = latest === null ? 'never' : 'plan'
  if (end === undefined) return [open, ...dated]
  if (end === null) return ['never', ...dated]
  return ['keep', ...(latest === null ? (['never'] as const) : []), ...dated]
}

export function firstDay({ dates, now }: ExpiryRules): string {
  return dates.dayIn(0, now + marginMs)
}

/** The last day whose end the plan allows; `null` where it sets none. */
export function lastDay({ dates, latest }: ExpiryRules): string | null {
  if (latest === null) return null
  const day = dates.dayIn(0, latest)
  return dates.endOf(day) <= latest ? day : dates.dayIn(-1, latest)
}

/**
 * The instant that a choice stands for: `null` for never, nothing where the key or the plan decides, NaN
 * for a day that is no day, is past or is later than the plan allows.
 */
export function expiryOf(expiry: Expiry, rules: ExpiryRules): number | null | undefined {
  const { choice } = expiry
  if (choice === 'keep' || choice === 'plan') return undefined
  if (choice === 'never') return null
  return expiryErrorOf(expiry, rules) === null ? endOf(expiry, rules) : Number.NaN
}

export function expiryErrorOf(expiry: Expiry, rules: ExpiryRules): MessageId | null {
  if (!(expiry.choice === 'date' || DAYS.some((days) => days === expiry.choice))) return null
  const end = endOf(expiry, rules)
  if (Number.isNaN(end)) return 'v.day'
  if (end < rules.now + marginMs) return 'v.day.past'
  return rules.latest !== null && end > rules.latest ? 'v.expiry' : null
}

function endOf({ choice, day }: Expiry, { dates, now }: ExpiryRules): number {
  return dates.endOf(choice === 'date' ? day : dates.dayIn(Number(choice), now))
}
