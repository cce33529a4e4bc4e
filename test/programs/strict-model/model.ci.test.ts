import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { isAvailable } from '../../support/available.ts'
import { isLong } from '../../support/runs.ts'

const MODEL = fileURLToPath(new URL('lease.pml', import.meta.url))

/** How far a run of the model goes; `lease.pml` says what each bounds. */
const ONE = {
  LEASE: 2,
  WAIT: 2,
  REVOKERS: 1,
  KEY1: 0,
  SLOW: 0,
  FAST: 0,
  LATE: 1,
  RESTORES: 0,
  REPLACED: 0,
}
/** One key with two revokers, and two keys with one each. */
const TWICE = { ...ONE, REVOKERS: 2, LATE: 0 }
const TWO = { ...TWICE, KEY1: 1 }
const RESTORED = { ...ONE, RESTORES: 1 }
const REPLACED = { ...ONE, REPLACED: 1 }
/** The wait covers each tick that a clock may miss or gain, and not one more. */
const DRIFTING = { ...ONE, LEASE: 3, WAIT: 5, SLOW: 1, FAST: 1 }

/** Bounds within which the protocol must be safe; the last ones take minutes. */
const SAFE = {
  'one revocation': ONE,
  'one revocation, clocks that drift': DRIFTING,
  'two revocations of one key': TWICE,
  'one revocation, a restore': RESTORED,
  'one revocation, a primary that is replaced': REPLACED,
  'two revocations of one key, clocks that drift': { ...TWICE, WAIT: 4, SLOW: 1, FAST: 1 },
  ...(isLong && {
    'two keys': TWO,
    'two revocations of one key, a primary that is replaced': { ...TWICE, REPLACED: 1 },
    'two revocations of one key, a restore': { ...TWICE, RESTORES: 1 },
    'two keys, a node that renews late': { ...TWO, LATE: 1 },
    'two keys, clocks that drift': { ...TWO, WAIT: 4, SLOW: 1, FAST: 1 },
  }),
}

/** Bounds within which the revoker waits too short. */
const TOO_SHORT = {
  'a tick less than the lease': { ...ONE, WAIT: 1 },
  'the clock of the node is slow': { ...ONE, SLOW: 1 },
  'the clock of the revoker is fast': { ...ONE, FAST: 1 },
  'both, and the wait covers one': { ...DRIFTING, WAIT: 4 },
}

/** Mistakes in the protocol, numbered from 1 as BUG of the model, and the bounds in which each shows. */
const MISTAKES = Object.entries({
  'lease counted from the answer': ONE,
  'lease given before the changes are applied': ONE,
  'acknowledged before it is applied': ONE,
  'acknowledged after a restore without matching renewals': RESTORED,
  'acknowledged after a restore once the row has caught up': RESTORED,
  'kept after a restore': RESTORED,
  'lookup remembered although the key was changed': ONE,
  'a read of the storage counts without a lease': REPLACED,
  'callers join any lookup under way': ONE,
  'entry read, then a pause, then the lease checked': ONE,
  'lease ended by a timer': ONE,
  'nodes read before the commit': ONE,
  'resolved without waiting': ONE,
  'an entry is visible before its commit': ONE,
  'second revocation resolves at once': TWICE,
  'sequence taken outside the order of commits': TWO,
  'eviction of a node that has renewed': TWO,
  'registered again without forgetting': ONE,
  'forgotten before the first renewal is sent, not after': ONE,
  'registration and head in one snapshot': ONE,
}).map(([name, bounds], at) => [name, bounds, at + 1] as const)

const runs = (command: string, flag: string) => spawnSync(command, [flag]).status === 0
const hasSpin = isAvailable(
  'spin',
  runs('spin', '-V') && runs('cc', '--version'),
  'apt-get install spin gcc',
)

describe.skipIf(!hasSpin)('the rules of src/cache, in every order of steps', () => {
  test.each(Object.entries(SAFE))('%s: no state breaks the guarantee', (_, bounds) => {
    const { errors, states } = check(bounds)
    expect(errors).toBe(0)
    expect(states).toBeGreaterThan(10_000)
  })

  test.each(MISTAKES)('finds: %s', (_, bounds, bug) => {
    expect(check(bounds, bug).errors).toBeGreaterThan(0)
  })

  test.each(Object.entries(TOO_SHORT))('finds a wait that is too short: %s', (_, bounds) => {
    expect(check(bounds).errors).toBeGreaterThan(0)
  })
})

/** Visits every state of the model within the bounds; how many there are, and how many break the guarantee. */
function check(bounds: typeof ONE, bug = 0) {
  const cwd = mkdtempSync(join(tmpdir(), 'miftah-lease-'))
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  try {
    const given = Object.entries({ ...bounds, BUG: bug })
    run('spin', ...given.map(([name, value]) => `-D${name}=${value}`), '-a', MODEL)
    run('cc', '-O2', '-w', '-DSAFETY', '-DCOLLAPSE', '-o', 'pan', 'pan.c')
    const report = run('./pan', '-m2000000')
    if (/max search depth too small/.test(report)) throw new Error('The search was cut short.')
    const figure = (pattern: RegExp) => Number(pattern.exec(report)?.[1])
    return { errors: figure(/errors: (\d+)/), states: figure(/^\s*(\d+) states, stored/m) }
  } finally {
    rmSync(cwd, { recursive: true })
  }
}
