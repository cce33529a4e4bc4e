import type { KeyRecord } from '../../../../src/storage/index.ts'
import { KeptRecords } from '../kept-records.ts'
import { KEY_COLUMNS } from '../key-columns.ts'
import { keyRecordFrom } from '../key-row.ts'
import { StorageError } from '../storage-error.ts'
import { listOf, parsed } from './answers.ts'

/** The SQL of a key `k` as one text: a JSON array of its hash in hex digits and its other columns. */
export const KEY_LINE = `pg_catalog.json_build_array(
  pg_catalog.encode(k.hash, 'hex'), ${columns()})::text`

function columns(): string {
  return KEY_COLUMNS.map(({ name }) => `k.${name}`).join(', ')
}

/** What stands before the hash in a line. */
const OPENING = '["'

const HASH_LENGTH = 64

/** The hash in a line, or other text if the line is invalid. */
export function hashIn(line: string): string {
  return line.slice(OPENING.length, OPENING.length + HASH_LENGTH)
}

/** Reads lines. Found by their hashes: to hash whole lines costs 3 % of the processor time of an authentication. */
export class KeyLines extends KeptRecords<string> {
  constructor() {
    super({ isSame: (one, other) => one === other, recordFrom: keyFrom })
  }
}

function keyFrom(line: string): KeyRecord {
  const [hash, ...fields] = listOf(parsed(line))
  if (typeof hash !== 'string' || fields.length !== KEY_COLUMNS.length) {
    throw new StorageError('broken_row', 'the answer of the server is invalid')
  }
  const columns = KEY_COLUMNS.map(({ name }, at) => [name, fields[at]])
  return keyRecordFrom(Object.fromEntries(columns), hash)
}
