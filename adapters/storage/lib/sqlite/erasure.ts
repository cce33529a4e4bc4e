import type {
  ErasureOutcome,
  PersonErasure,
  Purge,
  WorkspaceErasure,
} from '../../../../src/storage/index.ts'
import { integerIn, rowFrom, textIn } from '../row.ts'
import { checkIntegers, checkTexts, isStorableText } from '../storable.ts'
import type { SqliteStatement, SqliteValue } from './driver.ts'
import { commitDurably } from './keys.ts'
import { assertOneRow } from './one-row.ts'
import type { Statements } from './statements.ts'

/** See `KeyStorage.erasePerson`. */
export function erasePerson(sql: Statements, { personId, limit }: PersonErasure): ErasureOutcome {
  checkIntegers([limit])
  commitDurably(sql)
  if (!isStorableText(personId)) return { keys: 0, events: 0, more: false }
  const keys = changesOf(sql.eraseInKeys, personId, limit)
  if (keys < limit) assertNone(sql.anyKeyOfPerson, personId)
  const events = changesOf(sql.eraseInEvents, personId, limit)
  if (events < limit) assertNone(sql.anyEventOfPerson, personId)
  return { keys, events, more: Math.max(keys, events) === limit }
}

/** See `KeyStorage.eraseWorkspace`. */
export function eraseWorkspace(sql: Statements, erasure: WorkspaceErasure): ErasureOutcome {
  const { workspaceId, erasedAtMs, limit } = erasure
  checkTexts([workspaceId])
  checkIntegers([erasedAtMs, limit])
  commitDurably(sql)
  const isKnown = changesOf(sql.closeKnownWorkspace, workspaceId) > 0
  if (!isKnown) assertOneRow(sql.closeUnknownWorkspace.run(workspaceId))
  const revoked = changesOf(sql.revokeKeys, erasedAtMs, erasedAtMs, workspaceId, limit)
  if (revoked < limit) assertNone(sql.anyLivingKeyOf, workspaceId)
  const keys = deleteKeys(sql, rowsOf(sql.deadKeysOf, workspaceId, limit))
  sql.forgetPurged.run(workspaceId)
  // Events come last: a search passes over all that await delivery, and a step with keys is long enough.
  if (Math.max(revoked, keys) === limit) return { keys, events: 0, more: true }
  const events = deleteEvents(sql, rowsOf(sql.acknowledgedEventsOf, workspaceId, limit))
  return { keys, events, more: events === limit }
}

/** See `KeyStorage.purge`. */
export function purge(sql: Statements, asked: Purge): ErasureOutcome {
  const { endedBeforeMs, eventsBeforeMs, limit } = asked
  checkIntegers([endedBeforeMs ?? 0, eventsBeforeMs ?? 0, limit])
  const dead = endedBeforeMs === null ? [] : rowsOf(sql.deadKeys, endedBeforeMs, limit)
  const acknowledged =
    eventsBeforeMs === null ? [] : rowsOf(sql.acknowledgedEvents, eventsBeforeMs, limit)
  for (const row of dead) notePurged(sql, 'key', row)
  for (const row of acknowledged) notePurged(sql, 'event', row)
  const keys = deleteKeys(sql, dead)
  const events = deleteEvents(sql, acknowledged)
  return { keys, events, more: Math.max(keys, events) === limit }
}

/** A row that is to be deleted. */
interface DeletedRow {
  readonly id: string
  readonly workspaceId: string
  readonly position: number
}

function rowsOf(statement: SqliteStatement, ...values: SqliteValue[]): readonly DeletedRow[] {
  return statement.all(...values).map((value) => {
    const row = rowFrom(value)
    const [id, workspaceId] = [textIn(row, 'id'), textIn(row, 'workspace_id')]
    return { id, workspaceId, position: integerIn(row, 'position') }
  })
}

function deleteKeys(sql: Statements, rows: readonly DeletedRow[]): number {
  for (const { id, position } of rows) {
    assertOneRow(sql.deleteKey.run(position))
    assertOneRow(sql.deleteUsage.run(id))
  }
  return rows.length
}

function deleteEvents(sql: Statements, rows: readonly DeletedRow[]): number {
  for (const { position } of rows) assertOneRow(sql.deleteEvent.run(position))
  return rows.length
}

function notePurged(
  sql: Statements,
  kind: string,
  { id, workspaceId, position }: DeletedRow,
): void {
  sql.notePurged.run(kind, id, workspaceId, position)
}

/** Throws if a row is left: a trigger of the host may have swallowed its change. */
function assertNone(rest: SqliteStatement, value: SqliteValue): void {
  if (rest.get(value)) throw new Error('some rows could not be erased')
}

function changesOf(statement: SqliteStatement, ...values: SqliteValue[]): number {
  return Number(statement.run(...values).changes)
}
