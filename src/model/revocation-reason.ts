import { namesOf } from '../lib/values.ts'

/**
 * Why a key was revoked: its secret is where it should not be (`leaked`), nobody needs it any more
 * (`unused`), its holder ended it (`reported`), the secret was sent over plain HTTP (`exposed`), or something
 * else (`other`).
 */
export type RevocationReason = 'leaked' | 'unused' | 'reported' | 'exposed' | 'other'

/** Every reason, and whether people may give it; the others come from code. */
const reasons: Readonly<Record<RevocationReason, boolean>> = {
  leaked: true,
  unused: true,
  reported: false,
  exposed: false,
  other: true,
}

/** Every reason for a revocation. */
export const REVOCATION_REASONS = namesOf(reasons)

/** The reasons that the management routes take. */
export const CHOSEN_REASONS = REVOCATION_REASONS.filter((reason) => reasons[reason])
