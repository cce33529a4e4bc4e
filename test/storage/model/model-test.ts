import fc from 'fast-check'
import { expect, test } from 'vitest'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'
import { runs } from '../../support/runs.ts'
import { Side } from './side.ts'
import { anyStep } from './steps.ts'

/** Days before now: hours of usage are kept by the clock of the storage. */
const STARTS_AGO_MS = 20 * 86_400_000

/** What a failure prints, given back: `seed` and `path`. */
const { MIFTAH_PATH: path } = process.env

/**
 * Random sequences of everything that can be done to keys, on a storage whose calls fail in between and on the
 * one in memory without a failure. Each answer and all that is stored must be the same. A failure is shrunk and
 * prints its seed and path, with which it is replayed:
 * `MIFTAH_SEED=… MIFTAH_PATH=… npx vitest run test/storage/model`.
 */
export function modelTest(
  storageName: string,
  open: () => KeyStorage | Promise<KeyStorage>,
  {
    close = () => {},
    numRuns = 100,
  }: { readonly close?: (storage: KeyStorage) => unknown; readonly numRuns?: number } = {},
): void {
  const total = runs(numRuns)
  const history = fc.array(anyStep, { maxLength: 60, size: 'max' })
  test(
    `${storageName}: ${total} random histories go as in memory, whatever fails`,
    async () => {
      await fc.assert(
        fc.asyncProperty(history, async (steps) => {
          const storage = await open()
          const startMs = Math.floor((Date.now() - STARTS_AGO_MS) / 3_600_000) * 3_600_000
          const reference = new Side(memoryStorage(), false, startMs)
          const real = new Side(storage, true, startMs)
          try {
            for (const { play } of steps) {
              const expected = [await reference.outcome(play), await reference.state()]
              const seen = [await real.outcome(play), await real.state()]
              expect(seen).toEqual(expected)
            }
          } finally {
            real.arm('addUses', [])
            await Promise.all([reference.keys.close(), real.keys.close()])
            await close(storage)
          }
        }),
        { numRuns: total, ...(path === undefined ? {} : { path }) },
      )
    },
    600_000 + total * 1_000,
  )
}
