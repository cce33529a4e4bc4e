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
    isStatus(status) &&
    [lastUsedAt, expiresAt, retiresAt, revokedAt].every(
      (instant) => instant === null || isText(instant),
    ) &&
    typeof uses === 'number' &&
    Array.isArray(scopes) &&
    scopes.every(isText) &&
    isCreator(creator)
  )
}

const STATUSES: Readonly<Record<WireKey['status'], true>> = {
  active: true,
  retiring: true,
  paused: true,
  expired: true,
  revoked: true,
}

function isStatus(status: unknown): boolean {
  return isText(status) && Object.hasOwn(STATUSES, status)
}

/** Whether a key can be rotated: one that is neither ending nor has ended. */
export function isRotatable({ status }: WireKey): boolean {
  return status === 'active' || status === 'paused'
}

/** Whether a key has stopped working for good. */
export function hasEnded({ status }: WireKey): boolean {
  return status === 'revoked' || status === 'expired'
}

/** A key as it stands by now: its end may have come since it was loaded. */
export function asOf(key: WireKey, now: number): WireKey {
  const ends = Date.parse(key.expiresAt ?? '')
  return ends <= now && !hasEnded(key) ? { ...key, status: 'expired' } : key
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
