import { ERASED_PERSON } from '../../../../src/storage/index.ts'
import { integerIn, rowFrom, textIn } from '../row.ts'
import { inLists, listOf } from '../sql/in-lists.ts'
import { hashIn, Touched } from '../sql/log.ts'
import { rowsOf, type SqlValue, type Work } from '../sql/work.ts'
import { NOW_MS } from './clock.ts'
import { made, Query, statement } from './query.ts'
import { lockOf } from './writable.ts'

const { id: ERASED_ID, name: ERASED_NAME } = ERASED_PERSON

/** Later than every instant that can be stored. */
const LATEST_MS = Number.MAX_SAFE_INTEGER

/** The statements of erasures and purges. */
export const erasureStatements = {
  eraseInKeys: made(eraseInKeys),
  eraseInEvents: statement(`UPDATE miftah_events
    SET actor_name = '${ERASED_NAME}', actor_id = '${ERASED_ID}' WHERE actor_id = ? LIMIT ?`),
  anyKeyOfPerson: made((person = null) => keysOfPerson(person, 1, 'get')),
  closeKnownWorkspace: statement(
    'UPDATE miftah_workspaces SET is_erased = 1, changes = changes + 1 WHERE workspace_id = ?',
  ),
  // The lock of a workspace is its row, so there always is one.
  closeUnknownWorkspace: made(() => null),
  revokeKeys: made(revokeKeys),
  acknowledgedEventsOf: made(acknowledgedEventsOf),
  deadKeys: made(deadKeys),
  acknowledgedEvents: statement(`SELECT position, id, workspace_id FROM miftah_events
    WHERE at_ms < LEAST(?, ${NOW_MS}) AND is_pending IS NULL ORDER BY at_ms LIMIT ? FOR UPDATE`),
  ...inLists((text, values) => new Query(text, values, 'run')),
}

function keysOfPerson(person: SqlValue, limit: SqlValue, part: 'get' | 'all'): Query {
  const keysOf = (role: string) =>
    `SELECT position, workspace_id, id FROM miftah_keys WHERE ${role}_id = ?`
  const text = `SELECT * FROM (${keysOf('creator')} UNION ${keysOf('paused_by')}) AS k LIMIT ?`
  return new Query(text, [person, person, limit], part)
}

/** In the order of workspaces, so that two erasures wait for each other instead of meeting in a deadlock. */
function* lockAll(rows: readonly unknown[]): Work<void> {
  const workspaces = new Set(rows.map((row) => textIn(rowFrom(row), 'workspace_id')))
  for (const workspaceId of [...workspaces].sort()) yield lockOf(workspaceId)
}

// The name comes first: the id that is set after it decides about both.
const pseudonym = (
  role: string,
) => `${role}_name = IF(${role}_id = ?, '${ERASED_NAME}', ${role}_name),
  ${role}_id = IF(${role}_id = ?, '${ERASED_ID}', ${role}_id)`

function* eraseInKeys(person: SqlValue = null, limit: SqlValue = null): Work<unknown> {
  const keys = rowsOf(yield keysOfPerson(person, limit, 'all'))
  if (keys.length === 0) return { changes: 0 }
  yield* lockAll(keys)
  yield new Touched(keys.map((key) => textIn(rowFrom(key), 'id')))
  const positions = keys.map((key) => integerIn(rowFrom(key), 'position'))
  const text = `UPDATE miftah_keys SET version = version + 1,
    ${pseudonym('creator')}, ${pseudonym('paused_by')}
    WHERE position IN ${listOf(positions)} AND (creator_id = ? OR paused_by_id = ?)`
  return yield new Query(
    text,
    [person, person, person, person, ...positions, person, person],
    'run',
  )
}

const LIVING_KEYS = statement(`SELECT hash FROM miftah_keys
  WHERE workspace_id = ? AND revoked_at_ms IS NULL ORDER BY position LIMIT ?`)
// The oldest first, as they are deleted.
const REVOKE_KEYS = statement(`UPDATE miftah_keys SET version = version + 1, updated_at_ms = ?,
  revoked_at_ms = LEAST(?, COALESCE(retires_at_ms, ${LATEST_MS})), notice_at_ms = NULL
  WHERE workspace_id = ? AND revoked_at_ms IS NULL ORDER BY position LIMIT ?`)

function* revokeKeys(...values: SqlValue[]): Work<unknown> {
  const living = rowsOf(yield LIVING_KEYS.all(...values.slice(2)))
  // By hash: the same step deletes them.
  yield new Touched([], living.flatMap(hashIn))
  return yield REVOKE_KEYS.run(...values)
}

const WRITE_LEASE = statement('UPDATE miftah_lease SET writes = writes + 1 WHERE one = 1')
const ACKNOWLEDGED = statement(`SELECT position, id, workspace_id FROM miftah_events
  WHERE workspace_id = ? AND is_pending IS NULL ORDER BY position LIMIT ? FOR UPDATE`)

/** With the lease written, no relay is acknowledging an event that this would miss. */
function* acknowledgedEventsOf(
  workspaceId: SqlValue = null,
  limit: SqlValue = null,
): Work<unknown> {
  yield WRITE_LEASE.run()
  return yield ACKNOWLEDGED.all(workspaceId, limit)
}

const DEAD = `FROM miftah_keys WHERE format IS NULL AND ends_at_ms < LEAST(?, ${NOW_MS})`

/** Read again under the locks of their workspaces: until then a key may change. */
function* deadKeys(endedBeforeMs: SqlValue = null, limit: SqlValue = null): Work<unknown> {
  const text = `SELECT position, workspace_id ${DEAD} ORDER BY ends_at_ms LIMIT ?`
  const found = rowsOf(yield new Query(text, [endedBeforeMs, limit], 'all'))
  if (found.length === 0) return []
  yield* lockAll(found)
  const positions = found.map((row) => integerIn(rowFrom(row), 'position'))
  const again = `SELECT position, id, workspace_id, hash, revoked_at_ms ${DEAD}
    AND position IN ${listOf(positions)} FOR UPDATE`
  const dead = rowsOf(yield new Query(again, [endedBeforeMs, ...positions], 'all'))
  yield new Touched([], dead.flatMap(hashUnlessRevoked))
  return dead
}

/** Deleting a revoked key tells the nodes with a cache nothing new. */
function hashUnlessRevoked(row: unknown): readonly Uint8Array[] {
  return rowFrom(row)['revoked_at_ms'] === null ? hashIn(row) : []
}
