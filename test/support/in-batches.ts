import type { KeyStorage } from '../../src/storage/index.ts'

/** A storage that answers at most so many events or due keys at once, whatever it is called with. */
export function inBatches(storage: KeyStorage, limit: number): KeyStorage {
  return {
    ...storage,
    claimEvents: (claim, call) => storage.claimEvents({ ...claim, limit }, call),
    due: (query, call) => storage.due({ ...query, limit }, call),
  }
}
