import type { KeyRecord, KeyState } from '../../../../src/storage/index.ts'
import { flatKey, flatState, KEY_COLUMNS, STATE_COLUMNS } from '../key-columns.ts'

type JsonByColumn = Readonly<Record<string, unknown>>

/** A record as the JSON object by column from which `store_key` makes a row of `keys`. */
export function keyJson(record: KeyRecord): JsonByColumn {
  const fields = flatKey(record)
  const columns = KEY_COLUMNS.map(({ field, name }) => [name, fields[field]] as const)
  return { hash: `\\x${record.hash}`, ...Object.fromEntries(columns) }
}

/** A state as the JSON object by column that `update_key` puts into a row of `keys`. */
export function stateJson(state: KeyState): JsonByColumn {
  const fields = flatState(state)
  return Object.fromEntries(STATE_COLUMNS.map(({ field, name }) => [name, fields[field]]))
}
