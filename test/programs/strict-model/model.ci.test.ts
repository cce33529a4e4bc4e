import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { isAvailable } from '../../support/available.ts'
import { check, MISTAKES, SAFE, TOO_SHORT } from './check.ts'

const runs = (command: string, flag: string) => spawnSync(command, [flag]).status === 0
const hasSpin = isAvailable(
  'spin',
  runs('spin', '-V') && runs('cc', '--version'),
  'apt-get install spin gcc',
)

describe.skipIf(!hasSpin)('the rules of src/cache, in every order of steps', () => {
  test.each(Object.entries(SAFE))('%s: no state breaks the guarantee', (_, bounds) => {
    const { isSafe, states } = check(bounds)
    expect(isSafe).toBe(true)
    expect(states).toBeGreaterThan(10_000)
  })

  test.each(Object.entries(MISTAKES).map(([name, bounds], at) => [name, bounds, at + 1] as const))(
    'finds: %s',
    (_, bounds, bug) => {
      expect(check(bounds, bug).isSafe).toBe(false)
    },
  )

  test.each(Object.entries(TOO_SHORT))('finds a wait that is too short: %s', (_, bounds) => {
    expect(check(bounds).isSafe).toBe(false)
  })
})
