import { isSame } from '../lib/values.ts'
import { ApiKeyError } from '../model/errors.ts'
import { type KeyState, STATE_FIELDS } from '../model/key-fields.ts'
import type { KeyRecord, ResourceIds } from '../model/key-record.ts'
import { statusAt } from '../model/status.ts'
import { areWithin } from '../restrictions/networks.ts'

/**
 * How long before its end a key cannot be given more time or be replaced, in milliseconds: so far the clocks of
 * processes may differ.
 */
const LAST_MS = 10_000

/** When others may count a key as expired before a change of it is visible to them. */
const SOON_MS = 60_000

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

/** The fields that say what a key may do, and from where. */
const RIGHTS: readonly (keyof KeyState)[] = ['scopes', 'resources', 'networks']

/** Whether a key could do more after a change, or for longer. */
export function widens(before: KeyState, after: KeyState): boolean {
  return isLaterThan(before, after.expiresAtMs) || gainsRights(before, after)
}

/** Whether a change takes away scopes, resources or networks, and does nothing else. */
export function onlyNarrows(before: KeyState, after: KeyState): boolean {
  const changed = STATE_FIELDS.filter((field) => !isSame(before[field], after[field]))
  const isAboutRights = changed.every((field) => RIGHTS.includes(field))
  return changed.length > 0 && isAboutRights && !gainsRights(before, after)
}

/** Whether a key would live longer than it does now. */
export function isLaterThan(
  { expiresAtMs: beforeMs }: Pick<KeyState, 'expiresAtMs'>,
  afterMs: number | null,
): boolean {
  return (afterMs ?? Infinity) > (beforeMs ?? Infinity)
}

function gainsRights(before: KeyState, after: KeyState): boolean {
  return (
    after.scopes.some((scope) => !before.scopes.includes(scope)) ||
    !areWithin(after.networks, before.networks) ||
    gainsResources(before.resources, after.resources)
  )
}

function gainsResources(before: ResourceIds, after: ResourceIds): boolean {
  return Object.entries(before).some(([type, ids]) => {
    const now = Object.hasOwn(after, type) ? after[type] : undefined
    return now === undefined || now.some((id) => !ids.includes(id))
  })
}
