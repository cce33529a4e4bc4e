import { ApiKeyError } from '../model/errors.ts'
import type { KeyRecord } from '../model/key-record.ts'
import { statusAt } from '../model/status.ts'

/**
 * Throws `key_revoked`, `key_rotated` or `key_expired` unless the key is active or paused at this
 * instant. A retiring key can still lose rights; a key that has ended never changes.
 */
export function assertChangeable(record: KeyRecord, atMs: number, isNarrowing = false): void {
  if (record.revokedAtMs !== null) throw new ApiKeyError('key_revoked')
  if (isNarrowing && statusAt(record, atMs) === 'retiring') return
  const { replacedBy } = record
  if (replacedBy !== null) throw new ApiKeyError('key_rotated', { replacedBy })
  if (statusAt(record, atMs) === 'expired') throw new ApiKeyError('key_expired')
}
