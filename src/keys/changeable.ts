import type { Workspace } from '../changes/change.ts'
import { ApiKeyError } from '../model/errors.ts'
import type { KeyRecord } from '../model/key-record.ts'
import { statusAt } from '../model/status.ts'
import type { HeldKey } from '../storage/contract.ts'

/**
 * How long before its end a key cannot be given more time or be replaced, in milliseconds: so far the clocks
 * of processes may differ.
 */
export const LAST_MS = 10_000

/** When others may count a key as expired before a change of it is visible to them. */
const SOON_MS = 60_000

/** The key of a decision. Throws `key_not_found`. */
export function keyIn(workspace: Workspace, id: string): HeldKey {
  const key = workspace.key(id)
  if (key === undefined) throw new ApiKeyError('key_not_found')
  return key
}

/**
 * Throws `key_revoked`, `key_rotated` or `key_expired` unless the key is active or paused at this instant. A
 * retiring key can still lose rights; a key that has ended never changes.
 */
export function assertChangeable(record: KeyRecord, atMs: number, isNarrowing = false): void {
  if (record.revokedAtMs !== null) throw new ApiKeyError('key_revoked')
  if (isNarrowing && statusAt(record, atMs) === 'retiring') return
  const { replacedBy } = record
  if (replacedBy !== null) throw new ApiKeyError('key_rotated', { replacedBy })
  if (statusAt(record, atMs) === 'expired') throw new ApiKeyError('key_expired')
}

/** Throws `key_expired` for a key in its last ten seconds: another process may have counted it as expired. */
export function assertLasting({ expiresAtMs }: KeyRecord, atMs: number): void {
  if (expiresAtMs !== null && expiresAtMs - atMs < LAST_MS) throw new ApiKeyError('key_expired')
}

/** The room of a change that gives a key more time: none where its end may come before the change is visible. */
export function roomBeforeEnd({ expiresAtMs }: KeyRecord, atMs: number): { readonly room?: 0 } {
  return expiresAtMs !== null && expiresAtMs - atMs < SOON_MS ? { room: 0 } : {}
}
