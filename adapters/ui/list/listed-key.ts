import { KEY_STATUSES, statusAt } from '../../../src/model/status.ts'
import type { WireKey } from '../../client/index.ts'

/** A row of the list that is not a key as this version of the tab knows them. */
export class UnreadableKey {
  readonly id: string
  /** Whether the id came with the row. */
  readonly named: boolean

  constructor(id: string, named: boolean) {
    this.id = id
    this.named = named
  }
}

/** A row of the list. */
export type ListedKey = WireKey | UnreadableKey

/** Whether a row can be drawn and acted on as a key. */
export function isReadable(key: ListedKey): key is WireKey {
  return !(key instanceof UnreadableKey)
}

/** A row as the list keeps it; `place` names one without an id. */
export function listedKey(row: Partial<WireKey> | null, place: string): ListedKey {
  if (row && isKey(row)) return row
  const named = typeof row?.id === 'string' && row.id !== ''
  return new UnreadableKey(named ? String(row.id) : place, named)
}

// Everything that is drawn. An unknown status or environment must not pass for a known one.
function isKey(row: Partial<WireKey>): row is WireKey {
  const { id, name, environment, scopes, prefix, uses, status } = row
  const instants = [row.lastUsedAt, row.expiresAt, row.retiresAt, row.revokedAt]
  return (
    [id, name, prefix].every((one) => typeof one === 'string') &&
    id !== '' &&
    (environment === 'live' || environment === 'test') &&
    KEY_STATUSES.some((known) => known === status) &&
    instants.every((one) => one === null || typeof one === 'string') &&
    typeof uses === 'number' &&
    Array.isArray(scopes)
  )
}

/** Whether a key can be changed and rotated: one that is neither ending nor has ended. */
export function isChangeable({ status }: WireKey): boolean {
  return status === 'active' || status === 'paused'
}

/** Whether a row is a key that has stopped working for good. */
export function hasEnded(key: ListedKey): boolean {
  return isReadable(key) && (key.status === 'revoked' || key.status === 'expired')
}

/** A key as it stands by now: its end may have come since it was loaded. */
export function asOf(key: WireKey, now: number): WireKey {
  const { revokedAt, retiresAt, expiresAt } = key
  const ends = { retiresAtMs: msOf(retiresAt), expiresAtMs: msOf(expiresAt) }
  const status = statusAt({ ...ends, revokedAtMs: msOf(revokedAt), pausedAtMs: null }, now)
  if (hasEnded(key) || !(status === 'revoked' || status === 'expired')) return key
  return status === 'expired' ? { ...key, status } : { ...key, status, revokedAt: retiresAt }
}

/** When a key ends by itself; `Infinity` for one that does not, and for one that has ended. */
export function endsAt(key: ListedKey): number {
  if (!isReadable(key) || hasEnded(key)) return Number.POSITIVE_INFINITY
  return Math.min(msOf(key.retiresAt) ?? Infinity, msOf(key.expiresAt) ?? Infinity)
}

function msOf(instant: string | null): number | null {
  return instant === null ? null : Date.parse(instant)
}

const dayMs = 86_400_000

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
