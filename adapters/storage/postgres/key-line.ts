import type { KeyRecord } from '../../../src/index.ts'
import { keyRecordFrom } from '../sql/key-row.ts'
import { StorageError } from '../sql/storage-error.ts'
import { arrayIn, fieldsIn } from './literals.ts'

/** What a lookup reads of a key, in the order in which {@link keyLine} writes it. */
const COLUMNS = [
  ...['id', 'workspace_id', 'name', 'environment', 'prefix', 'creator_id', 'creator_name'],
  ...['created_at_ms', 'last_used_at_ms', 'uses', 'revoked_at_ms', 'replaces', 'replaced_by'],
]

/**
 * The SQL of a key `k` as one text: PostgreSQL writes a row much faster than JSON or columns, and no
 * driver has anything to convert.
 */
export function keyLine(): string {
  const columns = COLUMNS.map((name) => `k.${name}`)
  return `ROW(pg_catalog.encode(k.hash, 'hex'), k.scopes, ${columns.join(', ')})::text`
}

/** More keys than this and the one that was read first is read anew. */
const MOST_KNOWN = 10_000

/**
 * Reads lines. A line that has been read before, to the letter, gives the same frozen record: what
 * a line says does not depend on when it was read, so that nothing stale can come of it.
 */
export class KeyLines {
  readonly #known = new Map<string, { readonly line: string; readonly record: KeyRecord }>()

  /** Throws `StorageError` (`broken_row`) rather than guess. */
  read(line: string): KeyRecord {
    const hash = line.slice(1, 65)
    const known = this.#known.get(hash)
    if (known !== undefined && known.line === line) return known.record
    const record = frozen(keyFromLine(line))
    this.#remember(hash, { line, record })
    return record
  }

  #remember(hash: string, entry: { readonly line: string; readonly record: KeyRecord }): void {
    this.#known.set(hash, entry)
    if (this.#known.size <= MOST_KNOWN) return
    for (const first of this.#known.keys()) {
      this.#known.delete(first)
      return
    }
  }
}

function frozen(record: KeyRecord): KeyRecord {
  Object.freeze(record.scopes)
  Object.freeze(record.creator)
  return Object.freeze(record)
}

/** The key in a line. Throws `StorageError` (`broken_row`) rather than guess. */
function keyFromLine(line: string): KeyRecord {
  const [hash, scopes, ...fields] = fieldsIn(line)
  if (typeof hash !== 'string' || typeof scopes !== 'string' || fields.length !== COLUMNS.length) {
    throw new StorageError('broken_row', 'a line of the server makes no sense')
  }
  const row: Record<string, unknown> = { scopes: arrayIn(scopes) }
  for (let at = 0; at < COLUMNS.length; at += 1) row[COLUMNS[at] as string] = fields[at]
  return keyRecordFrom(row, hash)
}
