import type { KeyRecord } from '../../../src/storage/index.ts'
import {
  integerIn,
  oneOfIn,
  optionalIntegerIn,
  optionalTextIn,
  type SqlRow,
  textIn,
  textsIn,
} from './row.ts'

const ENVIRONMENTS = ['live', 'test'] as const

/**
 * The record in a row with the columns `id`, `workspace_id`, `name`, `environment`, `scopes` (a JSON
 * array), `prefix`, `creator_id`, `creator_name`, `created_at_ms`, `last_used_at_ms`, `uses`,
 * `revoked_at_ms`, `replaces` and `replaced_by`; each database keeps the hash in its own way.
 * Throws `StorageError` (`broken_row`) rather than guess.
 */
export function keyRecordFrom(row: SqlRow, hash: string): KeyRecord {
  return {
    hash,
    id: textIn(row, 'id'),
    workspaceId: textIn(row, 'workspace_id'),
    name: textIn(row, 'name'),
    environment: oneOfIn(row, 'environment', ENVIRONMENTS),
    scopes: textsIn(row, 'scopes'),
    prefix: textIn(row, 'prefix'),
    creator: { id: textIn(row, 'creator_id'), name: textIn(row, 'creator_name') },
    createdAtMs: integerIn(row, 'created_at_ms'),
    replaces: optionalTextIn(row, 'replaces'),
    ...keyStateFrom(row),
  }
}

/** What changes in the life of a key; all else stays as it was when the key was created. */
export type KeyState = Pick<KeyRecord, 'lastUsedAtMs' | 'uses' | 'revokedAtMs' | 'replacedBy'>

/** The state in a row with its four columns. Throws `StorageError` (`broken_row`) rather than guess. */
export function keyStateFrom(row: SqlRow): KeyState {
  return {
    lastUsedAtMs: optionalIntegerIn(row, 'last_used_at_ms'),
    uses: integerIn(row, 'uses'),
    revokedAtMs: optionalIntegerIn(row, 'revoked_at_ms'),
    replacedBy: optionalTextIn(row, 'replaced_by'),
  }
}
