import { withShortPages } from '../../support/broken-storages.ts'
import { openStorage as openSound } from './sqlite-module.ts'
import type { OpenStorage } from './storage-module.ts'

// A storage with another fault, on which the scenarios must fail.

export { createPlace } from './sqlite-module.ts'

/** Pages lack their last key. */
export function openStorage(target: string): OpenStorage {
  const sound = openSound(target)
  return { ...withShortPages(sound), close: sound.close }
}
