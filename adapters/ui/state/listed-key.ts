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
  const { id, name, environment, scopes, prefix, creator, lastUsedAt, uses, status, revokedAt } =
    fieldsOf(row)
  return (
    [id, name, prefix].every(isText) &&
    id !== '' &&
    (environment === 'live' || environment === 'test') &&
    (status === 'active' || status === 'revoked') &&
    [lastUsedAt, revokedAt].every((instant) => instant === null || isText(instant)) &&
    typeof uses === 'number' &&
    Array.isArray(scopes) &&
    scopes.every(isText) &&
    isCreator(creator)
  )
}

/** A key may have no known creator. */
function isCreator(creator: unknown): boolean {
  const { name } = fieldsOf(creator)
  return name === undefined || name === null || isText(name)
}
