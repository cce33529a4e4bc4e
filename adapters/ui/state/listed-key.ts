import { KEY_STATUSES, statusAt } from '../../../src/model/status.ts'
import type { WireKey } from '../../client/index.ts'
import { fieldsOf, isText } from './fields.ts'

/** A row of the list that is not a key as this version of the tab knows them. */
export class UnreadableKey {
  readonly id: string
  /** Whether the id came with the row. */
  readonly named: boolean

  constructor(id: string, named: boolean) {
    this.id = id
    this.named = named
  }
}

/** A row of the list. */
export type ListedKey = WireKey | UnreadableKey

/** Whether a row can be drawn and acted on as a key. */
export function isReadable(key: ListedKey): key is WireKey {
  return !(key instanceof UnreadableKey)
}

/** A row as the list keeps it; `place` names one without an id. */
export function listedKey(row: unknown, place: string): ListedKey {
  if (isKey(row)) return row
  const { id } = fieldsOf(row)
  return isText(id) && id !== '' ? new UnreadableKey(id, true) : new UnreadableKey(place, false)
}

// Everything that is drawn. An unknown status or environment must not pass for a known one.
function isKey(row: unknown): row is WireKey {
  const { id, name, environment, scopes, prefix, creator, uses, status } = fieldsOf(row)
  const { lastUsedAt, expiresAt, retiresAt, revokedAt } = fieldsOf(row)
  return (
    [id, name, prefix].every(isText) &&
    id !== '' &&
    (environment === 'live' || environment === 'test') &&
    KEY_STATUSES.some((known) => known === status) &&
    [lastUsedAt, expiresAt, retiresAt, revokedAt].every(
      (instant) => instant === null || isText(instant),
    ) &&
    typeof uses === 'number' &&
    Array.isArray(scopes) &&
    scopes.every(isText) &&
    isCreator(creator)
  )
}

/** Whether a key reaches only some resources, or works only from some networks. */
export function isRestricted({ networks = 'any', resources }: WireKey): boolean {
  return networks !== 'any' || Object.values(resources ?? {}).some((ids) => ids !== 'all')
}

/** Whether a key can be rotated: one that is neither ending nor has ended. */
export function isRotatable({ status }: WireKey): boolean {
  return status === 'active' || status === 'paused'
}

/** Whether a key has stopped working for good. */
export function hasEnded({ status }: Pick<WireKey, 'status'>): boolean {
  return status === 'revoked' || status === 'expired'
}

/** A key as it stands by now: its end may have come since it was loaded. */
export function asOf(key: WireKey, now: number): WireKey {
  const { revokedAt, retiresAt, expiresAt } = key
  const ends = { retiresAtMs: msOf(retiresAt), expiresAtMs: msOf(expiresAt) }
  const status = statusAt({ ...ends, revokedAtMs: msOf(revokedAt), pausedAtMs: null }, now)
  if (hasEnded(key) || !hasEnded({ status })) return key
  return status === 'expired' ? { ...key, status } : { ...key, status, revokedAt: retiresAt }
}

/** When a key ends by itself; `Infinity` for one that does not, and for one that has ended. */
export function endsAt(key: WireKey): number {
  if (hasEnded(key)) return Number.POSITIVE_INFINITY
  return Math.min(msOf(key.retiresAt) ?? Infinity, msOf(key.expiresAt) ?? Infinity)
}

function msOf(instant: string | null): number | null {
  return instant === null ? null : Date.parse(instant)
}

/** A key may have no known creator. */
function isCreator(creator: unknown): boolean {
  const { name } = fieldsOf(creator)
  return name === undefined || name === null || isText(name)
}

/** After so many days without a use, a key counts as unused. */
export const unusedDays = 90

const dayMs = 86_400_000

/** Whether a key that works was not used for long; one that never was counts from its creation. */
export function isUnused({ status, lastUsedAt, createdAt }: WireKey): boolean {
  const works = status === 'active' || status === 'paused'
  return works && Date.parse(lastUsedAt ?? createdAt) < Date.now() - unusedDays * dayMs
}
