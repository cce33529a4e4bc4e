/**
 * The suite that a storage of your own has to pass, for any test runner, and the sample records that it
 * works with.
 *
 * @module miftah/testing
 */

import type { KeyStorage } from '../../../src/storage/index.ts'
import { type ChangesByHand, Trial } from './contract-case.ts'
import { erasureCases, personCases, purgeCases } from './erasure-cases.ts'
import { eventCases, relayCases } from './event-cases.ts'
import { filterCases } from './list-cases.ts'
import { logCases } from './log-cases.ts'
import { copyCases, textCases } from './text-cases.ts'
import { historyCases, usageCases } from './usage-cases.ts'
import { isolationCases, orderCases, raceCases, viewCases } from './view-cases.ts'
import { byHandCases, guardCases, noticeCases, recordCases } from './write-cases.ts'

export type { ChangesByHand } from './contract-case.ts'
export * from './samples.ts'

/** One case of the suite, for any test runner. */
export interface StorageContractCase {
  /** The idea and the promise, for example `relay: a released lease hands over at once`. Unique in the suite. */
  readonly name: string
  /** Opens a storage, checks the promise, closes the storage. Throws how the promise is broken. */
  readonly run: () => Promise<void>
}

/** What the suite may do with a storage. */
export interface StorageContractOptions<T extends KeyStorage> {
  /** Opens a fresh, empty storage for each case. */
  readonly open: () => T | Promise<T>
  /** Called when a case is over, whether or not the promise was kept. Default: nothing is closed. */
  readonly close?: ((storage: T) => unknown) | undefined
  /**
   * Holds up every change that is called after it has resolved, until the function that it resolves to is called:
   * with a lock of another connection, say. Leave it out for a storage whose changes never wait.
   */
  readonly hold?: ((storage: T) => Promise<() => unknown>) | undefined
  /** The same keys, as another process sees them. Default: the storage itself. */
  readonly other?: (storage: T) => KeyStorage | Promise<KeyStorage>
  /** What somebody can do to the stored rows without the storage. Default: nothing. */
  readonly byHand?: (storage: T) => ChangesByHand
}

const ALL_CASES = [
  ...[recordCases, guardCases, byHandCases, noticeCases],
  ...[viewCases, isolationCases, raceCases, orderCases, filterCases],
  ...[eventCases, relayCases, usageCases, historyCases],
  ...[personCases, erasureCases, purgeCases, logCases, copyCases, textCases],
].flat()

/**
 * What a storage must do to be one, as cases that need no particular test runner. Pass `open`, or options: the more
 * of them, the more is checked.
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
  openOrOptions: (() => T | Promise<T>) | StorageContractOptions<T>,
): readonly StorageContractCase[] {
  const { open, close, hold, other, byHand }: StorageContractOptions<T> =
    typeof openOrOptions === 'function' ? { open: openOrOptions } : openOrOptions
  return ALL_CASES.map(({ name, check }) => ({
    name,
    run: async () => {
      const storage = await open()
      try {
        const held = hold && (() => hold(storage))
        await check(new Trial(storage, byHand?.(storage), await other?.(storage), held))
      } finally {
        await close?.(storage)
      }
    },
  }))
}
