import type { KeyRecord } from '../../../../src/storage/index.ts'
import { keyRecordFrom, keyStateFrom } from '../key-row.ts'
import type { SqlRow } from '../row.ts'
import { StorageError } from '../storage-error.ts'
import { arrayIn, fieldsIn } from './literals.ts'

/** What a lookup reads of a key behind its hash: what changes comes first, and all else stays. */
const STATE = ['last_used_at_ms', 'uses', 'revoked_at_ms', 'replaced_by']
const REST = [
  ...['id', 'workspace_id', 'name', 'environment', 'prefix', 'creator_id', 'creator_name'],
  ...['created_at_ms', 'replaces'],
]
const HASH_LENGTH = 64

/**
 * The SQL of a key `k` as one text: PostgreSQL writes a row much faster than JSON or columns, and no
 * driver has anything to convert.
 */
export function keyLine(): string {
  const [state, rest] = [STATE, REST].map((names) => names.map((name) => `k.${name}`).join(', '))
  return `ROW(pg_catalog.encode(k.hash, 'hex'), ${state}, k.scopes, ${rest})::text`
}

/** The hash in a line, or other text where the line makes no sense. */
export function hashIn(line: string): string {
  return line.slice(1, 1 + HASH_LENGTH)
}

/** More keys than this and the one that was read first is read anew. */
const MOST_KNOWN = 10_000

/** A line and what it says. */
interface Known {
  readonly line: string
  readonly record: KeyRecord
}

/**
 * Reads lines. A line that has been read before, to the letter, gives the same frozen record, and one
 * that differs in the state of its key only is read that far: what a line says does not depend on when
 * it was read, so that nothing stale can come of it.
 */
export class KeyLines {
  readonly #known = new Map<string, Known>()

  /** Throws `StorageError` (`broken_row`) rather than guess. */
  read(line: string): KeyRecord {
    const hash = hashIn(line)
    const known = this.#known.get(hash)
    if (known !== undefined && known.line === line) return known.record
    const record = (known && laterRecord(known, line)) ?? frozen(keyFromLine(line))
    this.#remember(hash, { line, record })
    return record
  }

  #remember(hash: string, entry: Known): void {
    this.#known.set(hash, entry)
    if (this.#known.size <= MOST_KNOWN) return
    for (const first of this.#known.keys()) {
      this.#known.delete(first)
      return
    }
  }
}

/** The record of a line in which only the state differs from that of a known one; else nothing. */
function laterRecord({ line, record }: Known, later: string): KeyRecord | undefined {
  const end = stateEnd(later)
  if (later.slice(end) !== line.slice(stateEnd(line))) return undefined
  const state = later.slice(STATE_START, end)
  // Ids that miftah makes need no quotes, and in others may be a comma.
  if (state.includes('"')) return undefined
  return Object.freeze({ ...record, ...keyStateFrom(rowOf(STATE, fieldsIn(`(${state})`))) })
}

/** Behind the hash and its comma. */
const STATE_START = 1 + HASH_LENGTH + 1

/** Where the state ends: at the comma behind its last field. */
function stateEnd(line: string): number {
  let end = STATE_START - 1
  for (let field = 0; field < STATE.length; field += 1) end = line.indexOf(',', end + 1)
  return end
}

function frozen(record: KeyRecord): KeyRecord {
  Object.freeze(record.scopes)
  Object.freeze(record.creator)
  return Object.freeze(record)
}

/** The key in a line. Throws `StorageError` (`broken_row`) rather than guess. */
function keyFromLine(line: string): KeyRecord {
  const [hash, ...fields] = fieldsIn(line)
  const [scopes, ...rest] = fields.splice(STATE.length)
  if (typeof hash !== 'string' || typeof scopes !== 'string' || rest.length !== REST.length) {
    throw new StorageError('broken_row', 'a line of the server makes no sense')
  }
  const row = { ...rowOf(STATE, fields), ...rowOf(REST, rest), scopes: arrayIn(scopes) }
  return keyRecordFrom(row, hash)
}

function rowOf(names: readonly string[], fields: readonly (string | null)[]): SqlRow {
  const row: Record<string, unknown> = {}
  for (let at = 0; at < names.length; at += 1) row[names[at] as string] = fields[at]
  return row
}
