import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** How far a run of the model goes. */
export interface Bounds {
  /** How long a lease lasts, and how long a revoker waits before it gives up on a node, in ticks. */
  readonly LEASE: number
  readonly WAIT: number
  /** One revoker or two, and the key of the second: 0, as the first, or 1. */
  readonly REVOKERS: number
  readonly KEY1: number
  /** Ticks that the clock of the node may miss, and that the clocks of the revokers may gain. */
  readonly SLOW: number
  readonly FAST: number
  /** Renewals that may be carried out after the node has given them up. */
  readonly LATE: number
  /** How often the database may go back to an earlier state, and a frozen primary be replaced. */
  readonly RESTORES: number
  readonly REPLACED: number
}

const ONE: Bounds = {
  ...{ LEASE: 2, WAIT: 2, REVOKERS: 1, KEY1: 0, SLOW: 0, FAST: 0 },
  ...{ LATE: 1, RESTORES: 0, REPLACED: 0 },
}
/** One key with two revokers, and two keys with one each. */
const TWICE: Bounds = { ...ONE, REVOKERS: 2, LATE: 0 }
const TWO: Bounds = { ...TWICE, KEY1: 1 }
const RESTORED: Bounds = { ...ONE, RESTORES: 1 }
const REPLACED: Bounds = { ...ONE, REPLACED: 1 }
/** The wait covers each tick that a clock may miss or gain, and not one more. */
const DRIFTING: Bounds = { ...ONE, LEASE: 3, WAIT: 5, SLOW: 1, FAST: 1 }

/** Bounds within which the protocol must be safe. */
export const SAFE: Readonly<Record<string, Bounds>> = {
  'one revocation': ONE,
  'one revocation, clocks that drift': DRIFTING,
  'two revocations of one key': TWICE,
  'one revocation, a restore': RESTORED,
  'one revocation, a primary that is replaced': REPLACED,
  'two revocations of one key, clocks that drift': { ...TWICE, WAIT: 4, SLOW: 1, FAST: 1 },
}

/** As `SAFE`, for a run of minutes. */
export const SAFE_LONG: Readonly<Record<string, Bounds>> = {
  ...SAFE,
  'two keys': TWO,
  'two revocations of one key, a primary that is replaced': { ...TWICE, REPLACED: 1 },
  'two revocations of one key, a restore': { ...TWICE, RESTORES: 1 },
  'two keys, a node that renews late': { ...TWO, LATE: 1 },
  'two keys, clocks that drift': { ...TWO, WAIT: 4, SLOW: 1, FAST: 1 },
}

/** Bounds within which the revoker waits too short. */
export const TOO_SHORT: Readonly<Record<string, Bounds>> = {
  'a tick less than the lease': { ...ONE, WAIT: 1 },
  'the clock of the node is slow': { ...ONE, SLOW: 1 },
  'the clock of the revoker is fast': { ...ONE, FAST: 1 },
  'both, and the wait covers one': { ...DRIFTING, WAIT: 4 },
}

/** Mistakes in the protocol, numbered from 1 as BUG of the model, and the bounds in which each shows. */
export const MISTAKES: Readonly<Record<string, Bounds>> = {
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
}

const MODEL = fileURLToPath(new URL('lease.pml', import.meta.url))

/** What spin has found: whether every state is safe, and how many there are. */
export interface Verdict {
  readonly isSafe: boolean
  readonly states: number
}

/** Visits every state of the model within the bounds. Needs spin and a C compiler. */
export function check(bounds: Bounds, bug = 0): Verdict {
  const cwd = mkdtempSync(join(tmpdir(), 'miftah-lease-'))
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  try {
    const defines = Object.entries({ ...bounds, BUG: bug }).map(
      ([name, value]) => `-D${name}=${value}`,
    )
    run('spin', ...defines, '-a', MODEL)
    run('cc', '-O2', '-w', '-DSAFETY', '-DCOLLAPSE', '-o', 'pan', 'pan.c')
    const report = run('./pan', '-m2000000')
    if (/max search depth too small/.test(report)) throw new Error('The search was cut short.')
    const [, errors] = /errors: (\d+)/.exec(report) ?? []
    const [, states] = /^\s*(\d+) states, stored/m.exec(report) ?? []
    if (errors === undefined || states === undefined) throw new Error(report)
    return { isSafe: errors === '0', states: Number(states) }
  } finally {
    rmSync(cwd, { recursive: true })
  }
}
