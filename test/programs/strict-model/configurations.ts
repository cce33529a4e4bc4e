import type { Bug } from './rules.ts'
import type { Bounds } from './state.ts'

const ONE: Bounds = {
  ...{ lease: 2, wait: 2, revokers: [0] },
  ...{ slowTicks: 0, fastTicks: 0, lateRenewals: 1, restores: 0, replacements: 0 },
}

/** One key with two revokers, and two keys with one each. */
const TWICE: Bounds = { ...ONE, revokers: [0, 0], lateRenewals: 0 }
const TWO: Bounds = { ...ONE, revokers: [0, 1], lateRenewals: 0 }

/** Revoked, restored to a state before that, and revoked again. */
const RESTORED: Bounds = { ...ONE, restores: 1 }

/** Revoked on the primary that has replaced the one to which the node is connected. */
const REPLACED: Bounds = { ...ONE, replacements: 1 }

/** The wait covers each tick that a clock may miss or gain, and not one more. */
const DRIFTING: Bounds = { ...ONE, lease: 3, wait: 5, slowTicks: 1, fastTicks: 1 }

/** Bounds within which the protocol must be safe. */
export const SAFE: Readonly<Record<string, Bounds>> = {
  'one revocation': ONE,
  'one revocation, clocks that drift': DRIFTING,
  'two revocations of one key': TWICE,
  'one revocation, a restore': RESTORED,
  'one revocation, a primary that is replaced': REPLACED,
  'two revocations of one key, clocks that drift': {
    ...TWICE,
    ...{ wait: 4, slowTicks: 1, fastTicks: 1 },
  },
}

/** As `SAFE`, for a run of minutes. */
export const SAFE_LONG: Readonly<Record<string, Bounds>> = {
  ...SAFE,
  'two keys': TWO,
  'two revocations of one key, a primary that is replaced': { ...TWICE, replacements: 1 },
  'two revocations of one key, a restore': { ...TWICE, restores: 1 },
  'two keys, a node that renews late': { ...TWO, lateRenewals: 1 },
  'two keys, clocks that drift': { ...TWO, wait: 4, slowTicks: 1, fastTicks: 1 },
}

/** Bounds within which the revoker waits too short. */
export const TOO_SHORT: Readonly<Record<string, Bounds>> = {
  'a tick less than the lease': { ...ONE, wait: 1 },
  'the clock of the node is slow': { ...ONE, slowTicks: 1 },
  'the clock of the revoker is fast': { ...ONE, fastTicks: 1 },
  'both, and the wait covers one': { ...DRIFTING, wait: 4 },
}

/** Mistakes that show only with a second revocation; all others show with one. */
const NEEDED: Partial<Readonly<Record<Bug, Bounds>>> = {
  'second revocation resolves at once': TWICE,
  'sequence taken outside the order of commits': TWO,
  'eviction of a node that has renewed': TWO,
  'acknowledged after a restore without matching renewals': RESTORED,
  'acknowledged after a restore once the row has caught up': RESTORED,
  'kept after a restore': RESTORED,
  'a read of the storage counts without a lease': REPLACED,
}

/** Bounds within which a mistake must be found. */
export function boundsFor(bug: Bug): Bounds {
  return NEEDED[bug] ?? ONE
}
