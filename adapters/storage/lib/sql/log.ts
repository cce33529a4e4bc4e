import { integerIn, rowFrom } from '../row.ts'
import type { Words } from './statements.ts'
import { rowsOf, type SqlStatement, type SqlValue, type Work } from './work.ts'

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

type Name =
  | Words<'head sharedHead advance addEntry forgetEntries use register renew since'>
  | Words<'entries lagging count recent evict leave'>

/** The statements of a log of changes. Those of MySQL show what each of them does. */
export type LogStatements = Readonly<Record<Name, SqlStatement>> & {
  /** Answers the rows of the keys with these ids. */
  readonly hashesOf: (ids: readonly SqlValue[]) => unknown
}

/** The head of the log, and whether a node has ever registered. */
export interface Head {
  readonly head: number
  readonly isUsed: boolean
}

/** Reads the head in a transaction. */
export function* headOf(sql: LogStatements): Work<Head> {
  return headIn(yield sql.head.get())
}

function headIn(value: unknown): Head {
  const row = rowFrom(value)
  return { head: integerIn(row, 'head'), isUsed: integerIn(row, 'is_used') === 1 }
}

/**
 * Logs the keys that a transaction has changed, and answers the head. It comes last, because the row of the
 * head is a lock on all other changes until the commit. Unless the log is in use, that row is only shared, so
 * that a node that registers waits for changes which have not seen it. A cluster grants a shared lock on two
 * servers at once, so there it is always written.
 */
export function* logKeys(
  sql: LogStatements,
  touched: readonly Touched[],
  isWritten: boolean,
): Work<Head> {
  const known = touched.flatMap(({ hashes }) => hashes)
  const ids = touched.flatMap((one) => one.ids)
  if (known.length + ids.length === 0) return yield* headOf(sql)
  if (!isWritten) {
    const state = headIn(yield sql.sharedHead.get())
    if (!state.isUsed) return state
  }
  const hashes = [...known, ...(yield* hashesOf(sql, ids))]
  if (hashes.length === 0) return yield* headOf(sql)
  if (hashes.length > KEPT_ENTRIES) return yield* append(sql, [['everything', null, null]])
  return yield* append(
    sql,
    hashes.map((hash) => ['key', hash, null]),
  )
}

function* hashesOf(sql: LogStatements, ids: readonly SqlValue[]): Work<readonly Uint8Array[]> {
  return ids.length === 0 ? [] : rowsOf(yield sql.hashesOf(ids)).flatMap(hashIn)
}

/** The hash in a row, which always has one. */
export function hashIn(row: unknown): readonly Uint8Array[] {
  const { hash } = rowFrom(row)
  return hash instanceof Uint8Array ? [hash] : []
}

/** Adds an entry for the plan of a workspace, or of all, and answers the head. */
export function* logPlan(sql: LogStatements, workspaceId: string | null): Work<number> {
  const state = headIn(yield sql.sharedHead.get())
  return state.isUsed ? (yield* append(sql, [['plan', null, workspaceId]])).head : state.head
}

type Entry = readonly [kind: string, hash: Uint8Array | null, workspaceId: string | null]

function* append(sql: LogStatements, entries: readonly Entry[]): Work<Head> {
  yield sql.advance.run(entries.length)
  const state = yield* headOf(sql)
  const first = state.head - entries.length + 1
  for (const [at, entry] of entries.entries()) yield sql.addEntry.run(first + at, ...entry)
  if (state.head % DELETED_AT_ONCE < entries.length)
    yield sql.forgetEntries.run(state.head - KEPT_ENTRIES)
  return state
}
