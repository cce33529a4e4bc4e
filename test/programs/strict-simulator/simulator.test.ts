import { expect, test } from 'vitest'
import { runs } from '../../support/runs.ts'
import { play } from './history.ts'
import type { Variant } from './sim-node.ts'
import { VARIANTS } from './variants.ts'

// `npm run strict:simulator` plays a hundred times as many.

/** Five times what the mistake that is hardest to find takes. */
const MOST = 4_000

test.each([
  { nodes: 2, histories: runs(1_000) },
  { nodes: 50, histories: Math.max(4, runs(4)) },
])('$histories histories of $nodes nodes accept no revoked key', async ({ nodes, histories }) => {
  const sums = { resolved: 0, fromMemory: 0 }
  for (let seed = 1; seed <= histories; seed += 1) {
    const history = await play(seed, {}, nodes)
    expect(history).toMatchObject({ seed, staleAccepts: 0 })
    sums.resolved += history.resolved
    sums.fromMemory += history.fromMemory
  }
  expect(sums.resolved).toBeGreaterThan(histories)
  expect(sums.fromMemory).toBeGreaterThan(10 * histories)
})

test('a seed repeats its history', async () => {
  expect(await play(7)).toEqual(await play(7))
})

test.each(Object.entries(VARIANTS))('finds: %s', async (_name, variant) => {
  expect(await firstFailure(variant)).not.toBeNull()
})

/** The first seed whose history breaks the guarantee, or `null` if none of so many does. */
async function firstFailure(variant: Variant): Promise<number | null> {
  for (let seed = 1; seed <= MOST; seed += 1) {
    if ((await play(seed, variant)).staleAccepts > 0) return seed
  }
  return null
}
