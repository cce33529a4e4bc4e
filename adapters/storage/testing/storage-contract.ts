/**
 * The suite that a storage of your own has to pass, for any test runner, and the sample records that it
 * works with.
 *
 * @module miftah/testing
 */

import type { KeyStorage } from '../../../src/storage/index.ts'
import { bulkCases } from './bulk-cases.ts'
import { copyCases } from './copy-cases.ts'
import { erasureCases, purgeCases } from './erasure-cases.ts'
import { eventCases } from './event-cases.ts'
import { expiryCases } from './expiry-cases.ts'
import { filterCases } from './filter-cases.ts'
import { finalCases } from './final-cases.ts'
import { historyCases } from './history-cases.ts'
import { isolationCases } from './isolation-cases.ts'
import { lifeCycleCases } from './life-cycle-cases.ts'
import { limitCases } from './limit-cases.ts'
import { noticeCases } from './notice-cases.ts'
import { overlapCases } from './overlap-cases.ts'
import { pagingCases } from './paging-cases.ts'
import { raceCases } from './race-cases.ts'
import { relayCases } from './relay-cases.ts'
import { repeatCases } from './repeat-cases.ts'
import { restrictionCases } from './restriction-cases.ts'
import { textCases } from './text-cases.ts'
import { uniquenessCases } from './uniqueness-cases.ts'
import { updateCases } from './update-cases.ts'
import { usageCases } from './usage-cases.ts'

export {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
  sampleRotateChange,
  sampleUpdateChange,
} from './samples.ts'

/** One case of the suite, for any test runner. */
export interface StorageContractCase {
  /** The idea and the promise, for example `paging: a rotation puts the replacement first`. Unique in the suite. */
  readonly name: string
  /** Opens a storage, checks the promise, closes the storage. Throws how the promise is broken. */
  readonly run: () => Promise<void>
}

const ALL_CASES = [
  ...lifeCycleCases,
  ...updateCases,
  ...overlapCases,
  ...expiryCases,
  ...finalCases,
  ...bulkCases,
  ...limitCases,
  ...repeatCases,
  ...raceCases,
  ...usageCases,
  ...historyCases,
  ...isolationCases,
  ...pagingCases,
  ...filterCases,
  ...restrictionCases,
  ...eventCases,
  ...relayCases,
  ...noticeCases,
  ...erasureCases,
  ...purgeCases,
  ...copyCases,
  ...textCases,
  ...uniquenessCases,
]

/**
 * What a storage must do to be one, as cases that need no particular test runner. `open` returns a
 * fresh, empty storage for each case; `close` is called with it and awaited when the case is over,
 * whether or not the promise was kept. Default: nothing is closed.
 *
 * `hold` holds up every change that is called after it has resolved, until the function that it resolves
 * to is called: with the lock of another connection, say. With it the suite checks changes that wait until
 * their key has expired. Leave it out for a storage whose changes never wait.
 *
 * @example
 * ```ts
 * import { memoryStorage } from 'miftah/memory'
 * import { storageContract } from 'miftah/testing'
 * import { test } from 'vitest'
 *
 * for (const { name, run } of storageContract(() => memoryStorage())) test(name, run)
 * ```
 */
export function storageContract<T extends KeyStorage>(
  open: () => T | Promise<T>,
  close: (storage: T) => unknown = () => undefined,
  hold: ((storage: T) => Promise<() => unknown>) | null = null,
): readonly StorageContractCase[] {
  return ALL_CASES.map(({ name, check }) => ({
    name,
    run: async () => {
      const storage = await open()
      try {
        await check(storage, hold && (() => hold(storage)))
      } finally {
        await close(storage)
      }
    },
  }))
}
