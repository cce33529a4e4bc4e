import type { KeyRecord, KeyState } from '../../../src/storage/index.ts'

/**
 * How far ahead of the storage's own clock a key is remembered as expired: a caller whose clock is fast
 * ends nobody's keys.
 */
export const EXPIRED_AHEAD_MS = 60_000

/**
 * How long before the end of a key an update that moves it later must be decided. Others see the
 * change only once it is committed, and may call the key expired until then.
 */
export const EXTENDED_BEFORE_MS = 1_000

/** What an update or a rotation is made from and, for an update, what it sets. */
interface Change {
  readonly version: number
  readonly state?: Pick<KeyState, 'expiresAtMs'>
  readonly isNarrowing?: boolean
}

/** Why a change that is decided at an instant is refused, or `null`. Expired is final. */
export function refusalOf(
  record: KeyRecord,
  { version, state, isNarrowing = false }: Change,
  decidedAtMs: number,
): 'stale' | 'expired' | null {
  const { revokedAtMs, replacedBy, expiresAtMs, retiresAtMs } = record
  const isRetiring = retiresAtMs !== null && retiresAtMs > decidedAtMs
  if (revokedAtMs !== null || (replacedBy !== null && !(isNarrowing && isRetiring))) return 'stale'
  const endMs = expiresAtMs ?? Infinity
  const isLater = state !== undefined && (state.expiresAtMs ?? Infinity) > endMs
  if (endMs <= decidedAtMs + (isLater ? EXTENDED_BEFORE_MS : 0)) return 'expired'
  return record.version === version ? null : 'stale'
}
