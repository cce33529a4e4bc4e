import { namesOf } from './names-of.ts'

/**
 * Why a key was revoked: its secret is where it should not be (`leaked`), nobody needs it any more
 * (`unused`), or something else (`other`).
 */
export type RevocationReason = 'leaked' | 'unused' | 'other'

/** Every reason for a revocation. */
export const REVOCATION_REASONS = namesOf({
  leaked: true,
  unused: true,
  other: true,
} satisfies Record<RevocationReason, true>)
