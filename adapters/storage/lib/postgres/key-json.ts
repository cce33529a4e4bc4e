import type { KeyRecord } from '../../../../src/storage/index.ts'
import { flatKey, KEY_COLUMNS } from '../key-columns.ts'

/** A record as the JSON object by column from which `store_key` makes a row of `keys`. */
export function keyJson(record: KeyRecord): Readonly<Record<string, unknown>> {
  const fields = flatKey(record)
  const columns = KEY_COLUMNS.map(({ field, name }) => [name, fields[field]] as const)
  return { hash: `\\x${record.hash}`, ...Object.fromEntries(columns) }
}
