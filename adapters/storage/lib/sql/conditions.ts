import type { KeyStatus } from '../../../../src/index.ts'

/*
 * Conditions on the columns of a key, as every database writes them. `at` is SQL for the instant that the
 * caller gives. Indexes depend on `revoked_at_ms IS NULL` at the front.
 */

function lasts(at: string): string {
  return `revoked_at_ms IS NULL AND (retires_at_ms IS NULL OR retires_at_ms > ${at})
    AND (expires_at_ms IS NULL OR expires_at_ms > ${at})`
}

/** Keys that count towards the limit: they are active or paused. */
export function countsAt(at: string): string {
  return `revoked_at_ms IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > ${at})
    AND (retires_at_ms IS NULL OR retires_at_ms > ${at} AND paused_at_ms IS NOT NULL)`
}

export function retiresAt(at: string): string {
  return `revoked_at_ms IS NULL AND retires_at_ms > ${at} AND paused_at_ms IS NULL
    AND (expires_at_ms IS NULL OR expires_at_ms > ${at})`
}

/** The living keys with a status; see `statusAt`. Of the revoked ones, those whose overlap is over. */
const LIVING: Readonly<Record<KeyStatus, (at: string) => string>> = {
  active: (at) => `${lasts(at)} AND paused_at_ms IS NULL AND retires_at_ms IS NULL`,
  paused: (at) => `${lasts(at)} AND paused_at_ms IS NOT NULL`,
  retiring: retiresAt,
  expired: (at) => `revoked_at_ms IS NULL AND (retires_at_ms IS NULL OR retires_at_ms > ${at})
    AND expires_at_ms <= ${at}`,
  revoked: (at) => `revoked_at_ms IS NULL AND retires_at_ms <= ${at}`,
}

/** A condition on the keys of a workspace, and along which of its indexes they are found. */
export interface KeyCondition {
  readonly where: string
  readonly index: 'keys_workspace' | 'keys_living' | 'keys_revoked'
}

/** The conditions for keys with one of these statuses, or with any; a key meets at most one of them. */
export function ofStatus(
  statuses: readonly KeyStatus[] | null,
  at: string,
): readonly KeyCondition[] {
  if (statuses === null) return [{ where: '1 = 1', index: 'keys_workspace' }]
  const any = statuses.map((status) => `(${LIVING[status](at)})`).join(' OR ')
  const living = { where: `revoked_at_ms IS NULL AND (${any})`, index: 'keys_living' } as const
  if (!statuses.includes('revoked')) return [living]
  return [living, { where: 'revoked_at_ms IS NOT NULL', index: 'keys_revoked' }]
}
