import { withCachedLookups, withLimitOutside } from '../../support/broken-storages.ts'
import { openStorage as openSound } from './sqlite-module.ts'
import type { OpenStorage } from './storage-module.ts'

// A storage with faults of the field, on which the scenarios must fail.

export { createPlace } from './sqlite-module.ts'

/** Lookups from a cache that no revocation clears, and a limit that is checked too early. */
export function openStorage(target: string): OpenStorage {
  const sound = openSound(target)
  return { ...withCachedLookups(withLimitOutside(sound)), close: sound.close }
}
