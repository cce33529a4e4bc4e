import { expect, test } from 'vitest'
import { boundsFor, SAFE, TOO_SHORT } from './configurations.ts'
import { explore } from './explore.ts'
import { BUGS } from './rules.ts'

/*
 * The rules of `src/cache`, explored in every order of steps within bounds. One node is enough: nodes
 * never read each other's state, and a revocation resolves when its condition holds for each of them.
 */

test.each(Object.entries(SAFE))('%s: no state breaks the guarantee', (_name, bounds) => {
  const { violation, states } = explore(bounds)
  expect(violation).toBeNull()
  expect(states).toBeGreaterThan(1_000)
})

test.each(BUGS)('finds: %s', (bug) => {
  expect(explore(boundsFor(bug), bug).violation?.length).toBeGreaterThanOrEqual(3)
})

test.each(Object.entries(TOO_SHORT))('finds a wait that is too short: %s', (_name, bounds) => {
  expect(explore(bounds).violation?.length).toBeGreaterThan(3)
})
