import type {
  ErasureOutcome,
  PersonErasure,
  Purge,
  WorkspaceErasure,
} from '../../../../src/storage/index.ts'
import { integerIn, rowFrom, textIn } from '../row.ts'
import { commitDurably } from './keys.ts'
import type { SqlStatements } from './statements.ts'
import { assertOneRow, changesOf, rowsOf, type Work } from './work.ts'

/** See `KeyStorage.erasePerson`. */
export function* erasePerson(
  sql: SqlStatements,
  { personId, limit }: PersonErasure,
): Work<ErasureOutcome> {
  yield* commitDurably(sql)
  const keys = changesOf(yield sql.eraseInKeys.run(personId, limit))
  if (keys < limit) assertNone(yield sql.anyKeyOfPerson.get(personId))
  const events = changesOf(yield sql.eraseInEvents.run(personId, limit))
  if (events < limit) assertNone(yield sql.anyEventOfPerson.get(personId))
  return { keys, events, more: Math.max(keys, events) === limit }
}

/** See `KeyStorage.eraseWorkspace`. */
export function* eraseWorkspace(
  sql: SqlStatements,
  erasure: WorkspaceErasure,
): Work<ErasureOutcome> {
  const { workspaceId, erasedAtMs, limit } = erasure
  yield* commitDurably(sql)
  const isKnown = changesOf(yield sql.closeKnownWorkspace.run(workspaceId)) > 0
  if (!isKnown) assertOneRow(yield sql.closeUnknownWorkspace.run(workspaceId))
  const revoked = changesOf(yield sql.revokeKeys.run(erasedAtMs, erasedAtMs, workspaceId, limit))
  if (revoked < limit) assertNone(yield sql.anyLivingKeyOf.get(workspaceId))
  const keys = yield* deleteKeys(sql, deletedRows(yield sql.deadKeysOf.all(workspaceId, limit)))
  yield sql.forgetPurged.run(workspaceId)
  // Events come last: a search passes over all that await delivery, and a step with keys is long enough.
  if (Math.max(revoked, keys) === limit) return { keys, events: 0, more: true }
  const events = yield* deleteEvents(
    sql,
    deletedRows(yield sql.acknowledgedEventsOf.all(workspaceId, limit)),
  )
  return { keys, events, more: events === limit }
}

/** See `KeyStorage.purge`. */
export function* purge(sql: SqlStatements, limits: Purge): Work<ErasureOutcome> {
  const { endedBeforeMs, eventsBeforeMs, limit } = limits
  const dead =
    endedBeforeMs === null ? [] : deletedRows(yield sql.deadKeys.all(endedBeforeMs, limit))
  const acknowledged =
    eventsBeforeMs === null
      ? []
      : deletedRows(yield sql.acknowledgedEvents.all(eventsBeforeMs, limit))
  for (const row of dead) yield* notePurged(sql, 'key', row)
  for (const row of acknowledged) yield* notePurged(sql, 'event', row)
  const keys = yield* deleteKeys(sql, dead)
  const events = yield* deleteEvents(sql, acknowledged)
  return { keys, events, more: Math.max(keys, events) === limit }
}

/** A row that is to be deleted. */
interface DeletedRow {
  readonly id: string
  readonly workspaceId: string
  readonly position: number
}

function deletedRows(answer: unknown): readonly DeletedRow[] {
  return rowsOf(answer).map((value) => {
    const row = rowFrom(value)
    const [id, workspaceId] = [textIn(row, 'id'), textIn(row, 'workspace_id')]
    return { id, workspaceId, position: integerIn(row, 'position') }
  })
}

function* deleteKeys(sql: SqlStatements, rows: readonly DeletedRow[]): Work<number> {
  for (const { id, position } of rows) {
    assertOneRow(yield sql.deleteKey.run(position))
    assertOneRow(yield sql.deleteUsage.run(id))
  }
  return rows.length
}

function* deleteEvents(sql: SqlStatements, rows: readonly DeletedRow[]): Work<number> {
  for (const { position } of rows) assertOneRow(yield sql.deleteEvent.run(position))
  return rows.length
}

function* notePurged(
  sql: SqlStatements,
  kind: string,
  { id, workspaceId, position }: DeletedRow,
): Work<void> {
  yield sql.notePurged.run(kind, id, workspaceId, position)
}

/** Throws if a row is left: a trigger of the host may have swallowed its change. */
function assertNone(rest: unknown): void {
  if (rest) throw new Error('some rows could not be erased')
}
