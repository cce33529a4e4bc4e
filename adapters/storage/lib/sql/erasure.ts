import type {
  ErasureOutcome,
  PersonErasure,
  Purge,
  WorkspaceErasure,
} from '../../../../src/storage/index.ts'
import { integerIn, rowFrom, textIn } from '../row.ts'
import { commitDurably } from './keys.ts'
import type { DeletedRow, SqlStatements } from './statements.ts'
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
  const dead = deletedRows(yield sql.deadKeysOf.all(workspaceId, limit))
  const keys = dead.length
  yield* sql.deleteKeys(dead)
  yield sql.forgetPurged.run(workspaceId)
  // Events come last: a search passes over all that await delivery, and a step with keys is long enough.
  if (Math.max(revoked, keys) === limit) return { keys, events: 0, more: true }
  const acknowledged = deletedRows(yield sql.acknowledgedEventsOf.all(workspaceId, limit))
  yield* sql.deleteEvents(acknowledged)
  return { keys, events: acknowledged.length, more: acknowledged.length === limit }
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
  yield* sql.notePurged('key', dead)
  yield* sql.notePurged('event', acknowledged)
  yield* sql.deleteKeys(dead)
  yield* sql.deleteEvents(acknowledged)
  const [keys, events] = [dead.length, acknowledged.length]
  return { keys, events, more: Math.max(keys, events) === limit }
}

function deletedRows(answer: unknown): readonly DeletedRow[] {
  return rowsOf(answer).map((value) => {
    const row = rowFrom(value)
    const [id, workspaceId] = [textIn(row, 'id'), textIn(row, 'workspace_id')]
    return { id, workspaceId, position: integerIn(row, 'position') }
  })
}

/** Throws if a row is left: a trigger of the host may have swallowed its change. */
function assertNone(rest: unknown): void {
  if (rest) throw new Error('some rows could not be erased')
}
