import { DAY_MS, namesOf } from '../lib/values.ts'
import type { Environment, KeyStatus } from './key.ts'
import type { KeyRecord } from './key-record.ts'

/** Every environment. */
export const ENVIRONMENTS = namesOf({ live: true, test: true } satisfies Record<Environment, true>)

/** Every status of a key. */
export const KEY_STATUSES = namesOf({
  active: true,
  retiring: true,
  paused: true,
  expired: true,
  revoked: true,
} satisfies Record<KeyStatus, true>)

/** The fields of a record on which its status depends. */
export type Lifetime = Pick<KeyRecord, 'revokedAtMs' | 'retiresAtMs' | 'expiresAtMs' | 'pausedAtMs'>

/**
 * The status of a key at an instant, in milliseconds since the epoch: the first that applies of revoked (or
 * its overlap is over), expired, paused, retiring and active.
 */
export function statusAt(key: Lifetime, atMs: number): KeyStatus {
  if (key.revokedAtMs !== null || hasCome(key.retiresAtMs, atMs)) return 'revoked'
  if (hasCome(key.expiresAtMs, atMs)) return 'expired'
  if (key.pausedAtMs !== null) return 'paused'
  return key.retiresAtMs === null ? 'active' : 'retiring'
}

/** Whether a key counts towards the active-key limit at an instant: it is active or paused. */
export function countsAt(key: Lifetime, atMs: number): boolean {
  const status = statusAt(key, atMs)
  return status === 'active' || status === 'paused'
}

/** When a revoked key stopped: revoked at once, or at the end of its overlap, whichever came first. */
export function endOf({ revokedAtMs, retiresAtMs }: Lifetime): number | null {
  if (revokedAtMs === null || retiresAtMs === null) return revokedAtMs ?? retiresAtMs
  return Math.min(revokedAtMs, retiresAtMs)
}

function hasCome(instantMs: number | null, atMs: number): boolean {
  return instantMs !== null && atMs >= instantMs
}

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
