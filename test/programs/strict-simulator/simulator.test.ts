import { expect, test } from 'vitest'
import { runs } from '../../support/runs.ts'
import { play } from './history.ts'
import { firstFailure } from './search.ts'
import { VARIANTS } from './variants.ts'

/** Five times what the mistake that is hardest to find takes. */
const MOST = 4_000

test('1,000 histories of the shipped class accept no revoked key', async () => {
  const sums = { resolved: 0, fromMemory: 0 }
  for (let seed = 1; seed <= runs(1_000); seed += 1) {
    const history = await play(seed)
    expect(history).toMatchObject({ seed, staleAccepts: 0 })
    sums.resolved += history.resolved
    sums.fromMemory += history.fromMemory
  }
  expect(sums.resolved).toBeGreaterThan(runs(2_000))
  expect(sums.fromMemory).toBeGreaterThan(runs(10_000))
})

test('a seed repeats its history', async () => {
  expect(await play(7)).toEqual(await play(7))
})

test.each(Object.entries(VARIANTS))('finds: %s', async (_name, variant) => {
  expect(await firstFailure(variant, MOST)).not.toBeNull()
})
