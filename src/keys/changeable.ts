import { ApiKeyError } from '../model/errors.ts'
import type { KeyRecord } from '../model/key-record.ts'
import { statusAt } from '../model/status.ts'

/**
 * Throws `key_revoked`, `key_rotated` or `key_expired` unless the key is active or paused at this
 * instant: nothing but a revocation changes a key that is ending or has ended.
 */
export function assertChangeable(record: KeyRecord, atMs: number): void {
  if (record.revokedAtMs !== null) throw new ApiKeyError('key_revoked')
  const { replacedBy } = record
  if (replacedBy !== null) throw new ApiKeyError('key_rotated', { replacedBy })
  if (statusAt(record, atMs) === 'expired') throw new ApiKeyError('key_expired')
}
