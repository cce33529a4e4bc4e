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

/** Keys that have stopped by themselves, and did not retire. */
export function hasExpired(at: string): string {
  return `revoked_at_ms IS NULL AND retires_at_ms IS NULL AND expires_at_ms <= ${at}`
}

/** Keys that are retiring: none of them is paused, and none expires before it retires. */
export function isRetiring(at: string): string {
  return `revoked_at_ms IS NULL AND retires_at_ms > ${at}`
}

/** A condition on keys, and the index of a workspace's keys along which they are found. */
export interface KeyCondition {
  readonly sql: (at: string) => string
  /**
   * `active`, `revoked` and `paused` are in the order of creation; `expiring` and `retiring` in that of
   * the end. Without statistics no database finds the last three by itself.
   */
  readonly index: 'active' | 'revoked' | 'paused' | 'expiring' | 'retiring'
}

/** The conditions for any status. */
export const OF_ANY_STATUS: readonly KeyCondition[] = [
  { sql: () => 'revoked_at_ms IS NULL', index: 'active' },
  { sql: () => 'revoked_at_ms IS NOT NULL', index: 'revoked' },
]

/** The conditions for each status; see `statusAt`. A key with the status meets one of them. */
export const OF_STATUS: Readonly<Record<KeyStatus, readonly KeyCondition[]>> = {
  active: [
    {
      sql: (at) => `${isLasting(at)} AND retires_at_ms IS NULL AND paused_at_ms IS NULL`,
      index: 'active',
    },
  ],
  paused: [
    {
      sql: (at) => `${isLasting(at)} AND retires_at_ms IS NULL AND paused_at_ms IS NOT NULL`,
      index: 'paused',
    },
  ],
  retiring: [{ sql: isRetiring, index: 'retiring' }],
  expired: [{ sql: hasExpired, index: 'expiring' }],
  revoked: [
    { sql: () => 'revoked_at_ms IS NOT NULL', index: 'revoked' },
    { sql: (at) => `revoked_at_ms IS NULL AND retires_at_ms <= ${at}`, index: 'retiring' },
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
    const any = OF_STATUS[status].map(({ sql }) => `(${sql(at)})`)
    // Not every database knows FILTER.
    return `count(CASE WHEN ${any.join(' OR ')} THEN 1 END) AS ${status}`
  })
  return columns.join(', ')
}
