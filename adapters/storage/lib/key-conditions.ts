import type { KeyStatus } from '../../../src/index.ts'

/*
 * Conditions on the columns of a key, as every database writes them. `at` is SQL for the instant that
 * the caller gives. Each names `revoked_at_ms IS NULL` or `IS NOT NULL`, on which the indexes depend.
 */

/** Keys that count towards the active-key limit until somebody changes them. */
export const COUNTS_WITHOUT_END =
  'revoked_at_ms IS NULL AND retires_at_ms IS NULL AND expires_at_ms IS NULL'

/** Keys that count towards it, and stop by themselves at an instant that has not come. */
export function countsUntilExpiry(at: string): string {
  return `revoked_at_ms IS NULL AND retires_at_ms IS NULL AND expires_at_ms > ${at}`
}

/** Keys that are retiring: none of them is paused, and none expires before it retires. */
export function isRetiring(at: string): string {
  return `revoked_at_ms IS NULL AND retires_at_ms > ${at}`
}

/**
 * The conditions for each status; see `statusAt`. A key with the status meets one of them, and each
 * is read along an index of its own.
 */
export const OF_STATUS: Readonly<Record<KeyStatus, (at: string) => readonly string[]>> = {
  active: (at) => [`${isLasting(at)} AND retires_at_ms IS NULL AND paused_at_ms IS NULL`],
  paused: (at) => [`${isLasting(at)} AND retires_at_ms IS NULL AND paused_at_ms IS NOT NULL`],
  retiring: (at) => [isRetiring(at)],
  expired: (at) => [`revoked_at_ms IS NULL AND retires_at_ms IS NULL AND expires_at_ms <= ${at}`],
  revoked: (at) => [
    'revoked_at_ms IS NOT NULL',
    `revoked_at_ms IS NULL AND retires_at_ms <= ${at}`,
  ],
}

function isLasting(at: string): string {
  return `revoked_at_ms IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > ${at})`
}

/** Every status. */
export const STATUSES = Object.keys(OF_STATUS) as readonly KeyStatus[]

/** SQL for the number of keys with each status at an instant, as columns by the names of statuses. */
export function countsByStatus(at: string): string {
  const columns = STATUSES.map((status) => {
    const any = OF_STATUS[status](at).map((condition) => `(${condition})`)
    return `count(*) FILTER (WHERE ${any.join(' OR ')}) AS ${status}`
  })
  return columns.join(', ')
}
