import { KEY_DENIAL_REASONS } from '../authenticate/denial.ts'
import type { UsageOutcome } from '../storage/contract.ts'

/** Every {@link UsageOutcome}. */
export const USAGE_OUTCOMES: readonly UsageOutcome[] = ['accepted', ...KEY_DENIAL_REASONS]
