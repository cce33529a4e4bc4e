import { integerIn, rowFrom } from '../row.ts'
import { rowsOf, type SqlValue, type Work } from '../sql/work.ts'
import { listOf, Query, statement } from './query.ts'

/** Keys that the work of a transaction changes, which the log of changes must name. */
export class Touched {
  readonly ids: readonly SqlValue[]
  /** The hashes of keys that are about to be deleted. */
  readonly hashes: readonly Uint8Array[]

  constructor(ids: readonly SqlValue[], hashes: readonly Uint8Array[] = []) {
    this.ids = ids
    this.hashes = hashes
  }
}

/** How many entries the log keeps at least. */
export const KEPT_ENTRIES = 1_000

/** Old entries are deleted about so many at a time. */
const DELETED_AT_ONCE = 100

const HEAD = statement('SELECT head, is_used FROM miftah_change_clock WHERE one = 1')
const HEAD_SHARED = statement(
  'SELECT head, is_used FROM miftah_change_clock WHERE one = 1 LOCK IN SHARE MODE',
)
const ADVANCE = statement('UPDATE miftah_change_clock SET head = head + ? WHERE one = 1')
const ADD = statement(
  'INSERT INTO miftah_changes (sequence, kind, hash, workspace_id) VALUES (?, ?, ?, ?)',
)
const FORGET = statement('DELETE FROM miftah_changes WHERE sequence <= ?')

/** The head of the log, and whether a node has ever registered. */
export interface Head {
  readonly head: number
  readonly isUsed: boolean
}

/** Reads the head in a transaction. */
export function* headOf(query: unknown = HEAD.get()): Work<Head> {
  const row = rowFrom(yield query)
  return { head: integerIn(row, 'head'), isUsed: integerIn(row, 'is_used') === 1 }
}

/**
 * Logs the keys that a transaction has changed, and answers the head. It comes last, because the row of the
 * head is a lock on all other changes until the commit. Unless the log is in use, that row is only shared, so
 * that a node that registers waits for changes which have not seen it. A cluster grants a shared lock on two
 * servers at once, so there it is always written.
 */
export function* logKeys(touched: readonly Touched[], isWritten: boolean): Work<Head> {
  const known = touched.flatMap(({ hashes }) => hashes)
  const ids = touched.flatMap((one) => one.ids)
  if (known.length + ids.length === 0) return yield* headOf()
  if (!isWritten) {
    const state = yield* headOf(HEAD_SHARED.get())
    if (!state.isUsed) return state
  }
  const hashes = [...known, ...(yield* hashesOf(ids))]
  if (hashes.length === 0) return yield* headOf()
  if (hashes.length > KEPT_ENTRIES) return yield* append([['everything', null, null]])
  return yield* append(hashes.map((hash) => ['key', hash, null]))
}

function* hashesOf(ids: readonly SqlValue[]): Work<readonly Uint8Array[]> {
  if (ids.length === 0) return []
  const text = `SELECT hash FROM miftah_keys WHERE id IN ${listOf(ids)}`
  const rows = rowsOf(yield new Query(text, ids, 'all'))
  return rows.flatMap(hashIn)
}

/** The hash in a row, which always has one. */
export function hashIn(row: unknown): readonly Uint8Array[] {
  const { hash } = rowFrom(row)
  return hash instanceof Uint8Array ? [hash] : []
}

/** Adds an entry for the plan of a workspace, or of all, and answers the head. */
export function* logPlan(workspaceId: string | null): Work<number> {
  const state = yield* headOf(HEAD_SHARED.get())
  return state.isUsed ? (yield* append([['plan', null, workspaceId]])).head : state.head
}

type Entry = readonly [kind: string, hash: Uint8Array | null, workspaceId: string | null]

function* append(entries: readonly Entry[]): Work<Head> {
  yield ADVANCE.run(entries.length)
  const state = yield* headOf()
  const first = state.head - entries.length + 1
  for (const [at, entry] of entries.entries()) yield ADD.run(first + at, ...entry)
  if (state.head % DELETED_AT_ONCE < entries.length) yield FORGET.run(state.head - KEPT_ENTRIES)
  return state
}
