import { isSame } from '../lib/is-same.ts'
import { type KeyState, STATE_FIELDS } from '../model/key-fields.ts'
import type { ResourceIds } from '../model/key-record.ts'
import { areWithin } from '../restrictions/networks.ts'

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
