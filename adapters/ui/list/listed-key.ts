import type { WireKey } from '../../client/index.ts'

const dayMs = 86_400_000

/** Whether a key can be changed and rotated: one that is neither ending nor has ended. */
export function isChangeable({ status }: WireKey): boolean {
  return status === 'active' || status === 'paused'
}

/** Whether a key has stopped working for good. */
export function hasEnded({ status }: WireKey): boolean {
  return status === 'revoked' || status === 'expired'
}

/** A key as it stands by now: its end may have come since it was loaded. */
export function asOf(key: WireKey, now: number): WireKey {
  const { expiresAt, retiresAt } = key
  const isOver = (end: string | null) => end !== null && Date.parse(end) <= now
  if (hasEnded(key)) return key
  if (isOver(retiresAt)) return { ...key, status: 'revoked', revokedAt: retiresAt }
  return isOver(expiresAt) ? { ...key, status: 'expired' } : key
}

/** After so many days without a use, a key counts as unused. */
export const unusedDays = 90

/** Whether a key that works was not used for long; one that never was counts from its creation. */
export function isUnused(key: WireKey): boolean {
  const { lastUsedAt, createdAt } = key
  return isChangeable(key) && Date.parse(lastUsedAt ?? createdAt) < Date.now() - unusedDays * dayMs
}

/** Whether a key was used in the last day. */
export function isBusy({ lastUsedAt }: WireKey): boolean {
  return lastUsedAt !== null && Date.now() - Date.parse(lastUsedAt) < dayMs
}
