import type { KeyRecord } from '../../../../src/storage/index.ts'
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

/**
 * How many records are kept before the one that was read first is dropped, 2.3 kB each with what the core
 * makes of them. Without them an authentication takes three times the processor time of this process.
 */
const MOST_KEPT = 100_000

/** The hash in a line, or other text if the line is invalid. */
export function hashIn(line: string): string {
  return line.slice(OPENING.length, OPENING.length + HASH_LENGTH)
}

/** A line and what it says. */
interface Kept {
  readonly line: string
  readonly record: KeyRecord
}

/**
 * Reads lines. The same line gives the same frozen record, which saves reading it again and lets the
 * core recognise it. Nothing stale can come of that: a line that differs in anything is read anew.
 * Found by its hash: to hash whole lines costs 3 % of the processor time of an authentication.
 */
export class KeyLines {
  readonly #kept = new Map<string, Kept>()

  /** The record of a line that begins with `hash`. Throws `StorageError` (`broken_row`) rather than guess. */
  read(hash: string, line: string): KeyRecord {
    const known = this.#kept.get(hash)
    if (known?.line === line) return known.record
    const record = frozen(keyFrom(line))
    this.#kept.set(hash, { line, record })
    if (this.#kept.size > MOST_KEPT) this.#dropFirst()
    return record
  }

  #dropFirst(): void {
    for (const first of this.#kept.keys()) {
      this.#kept.delete(first)
      return
    }
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

function frozen(record: KeyRecord): KeyRecord {
  Object.freeze(record.scopes)
  Object.freeze(record.creator)
  Object.freeze(record.pausedBy)
  Object.freeze(record.metadata)
  Object.freeze(record.networks)
  for (const ids of Object.values(record.resources)) Object.freeze(ids)
  Object.freeze(record.resources)
  return Object.freeze(record)
}
