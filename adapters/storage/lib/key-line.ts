import type { KeyRecord } from '../../../src/storage/index.ts'
import { KeptRecords } from './kept-records.ts'
import { KEY_COLUMNS } from './key-columns.ts'
import { keyRecordFrom } from './key-row.ts'
import { StorageError } from './storage-error.ts'

/** What stands before the hash in a line: a JSON array of the hash in hex digits and the columns of a key. */
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
  const [hash, ...fields] = listIn(line)
  if (typeof hash !== 'string' || fields.length !== KEY_COLUMNS.length) throw invalid()
  const columns = KEY_COLUMNS.map(({ name }, at) => [name, fields[at]])
  return keyRecordFrom(Object.fromEntries(columns), hash)
}

function listIn(line: string): readonly unknown[] {
  try {
    return Array.from(JSON.parse(line))
  } catch {
    throw invalid()
  }
}

/** The message does not quote the line. */
function invalid(): StorageError {
  return new StorageError('broken_row', 'the answer of the server is invalid')
}
