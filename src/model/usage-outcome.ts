import { KEY_DENIAL_REASONS, type KeyDenialReason } from './denial.ts'

/** What became of a request with a known key: it was accepted, or why it was refused. */
export type UsageOutcome = 'accepted' | KeyDenialReason

/** Every {@link UsageOutcome}. */
export const USAGE_OUTCOMES: readonly UsageOutcome[] = ['accepted', ...KEY_DENIAL_REASONS]
