import type { Lifetime } from './status.ts'

const DAY_MS = 86_400_000

/** How long before a key expires the log says so, in days, the longest first. */
const LEAD_DAYS = [7, 1] as const

/**
 * When the audit log next says something about the end of a key: 7 days and 1 day before it expires, when it
 * expires, or when its overlap ends. The first of these after `afterMs`, or the end itself; `null` for a key
 * that has no end or was revoked before it. What a storage stores whenever the end of a key changes, with the
 * instant of the change for `afterMs`. A revocation after an overlap, whose `revokedAtMs` is `retiresAtMs`,
 * leaves the end as it is.
 */
export function nextNoticeAt(
  { expiresAtMs, retiresAtMs, revokedAtMs }: Lifetime,
  afterMs: number,
): number | null {
  if (revokedAtMs !== null && revokedAtMs !== retiresAtMs) return null
  if (retiresAtMs !== null || expiresAtMs === null) return retiresAtMs
  return leadsOf(expiresAtMs).find((instant) => instant > afterMs) ?? expiresAtMs
}

/** When the log says beforehand that a key expires. */
export function leadsOf(expiresAtMs: number): readonly number[] {
  return LEAD_DAYS.map((days) => expiresAtMs - days * DAY_MS)
}
