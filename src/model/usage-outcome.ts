import { denialReasons, KEY_DENIAL_REASONS, type KeyDenialReason } from './denial.ts'

/** The outcome of a request with a known key: it was accepted, or why it was refused. */
export type UsageOutcome = 'accepted' | KeyDenialReason

/** Every {@link UsageOutcome}. */
export const USAGE_OUTCOMES: readonly UsageOutcome[] = ['accepted', ...KEY_DENIAL_REASONS]

/** The number that a database keeps for an outcome: it takes an eighth of the space of its name. */
export function outcomeCode(outcome: UsageOutcome): number {
  return outcome === 'accepted' ? 0 : denialReasons[outcome].stored
}
