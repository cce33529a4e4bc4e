import type { KeyRecord } from '../../../../src/storage/index.ts'
import { KeptRecords } from '../kept-records.ts'
import { KEY_COLUMNS } from '../key-columns.ts'
import { keyRecordFrom } from '../key-row.ts'
import { asError, type Found } from '../lookup-queue.ts'
import { StorageError } from '../storage-error.ts'

/** What stands before the hash in a line: a JSON array of the hash in hex digits and the columns of a key. */
const OPENING = '["'

const HASH_LENGTH = 64

/** The hash in a line, or other text if the line is invalid. */
export function hashIn(line: string): string {
  return line.slice(OPENING.length, OPENING.length + HASH_LENGTH)
}

/** Reads lines. Found by their hashes: to hash whole lines costs 3 % of the processor time of an authentication. */
export class KeyLines extends KeptRecords {
  /** The record in a line with this hash. Throws `StorageError` (`broken_row`) rather than guess. */
  read(hash: string, line: string): KeyRecord {
    const kept = this.get(hash)
    return kept?.content === line ? kept.record : this.keep(line, keyFrom(line))
  }
}

/** What the keys of these hashes are by their lines. One that cannot be read fails its own callers only. */
export function foundIn(
  lines: KeyLines,
  hashes: readonly string[],
  answers: readonly (string | null)[],
): Found {
  const found = new Map<string, KeyRecord | Error | null>(hashes.map((hash) => [hash, null]))
  let isStray = false
  for (const line of answers) {
    const hash = hashIn(line ?? '')
    if (found.has(hash)) found.set(hash, keyOrError(lines, hash, line ?? ''))
    else isStray = true
  }
  // It may belong to any hash that has no line.
  if (isStray) for (const [hash, key] of found) if (key === null) found.set(hash, strayLine())
  return found
}

function keyOrError(lines: KeyLines, hash: string, line: string): KeyRecord | Error {
  try {
    return lines.read(hash, line)
  } catch (error) {
    return asError(error)
  }
}

function strayLine(): StorageError {
  return new StorageError('broken_row', 'the server returned a key that was not requested')
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
