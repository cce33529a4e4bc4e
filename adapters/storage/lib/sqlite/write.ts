import type { WorkspaceWrite, WriteOutcome } from '../../../../src/storage/index.ts'
import { type Cells, EVENT_COLUMNS, eventCells, KEY_COLUMNS, keyCells } from '../sql/columns.ts'
import { raw, type Sql, sql } from '../sql/sql.ts'
import type { Connection } from './connection.ts'
import { SQLITE } from './dialect.ts'

const NOW = SQLITE.nowMs

/** Stores a step, or leaves the others of its transaction as they are. */
export function outcomeOf(connection: Connection, write: WorkspaceWrite): WriteOutcome {
  connection.prepared('SAVEPOINT miftah_step').run()
  let outcome: WriteOutcome['outcome'] = 'stored'
  try {
    for (const statement of writeStatements(write)) connection.run(statement)
  } catch (error) {
    if (!isRefusal(error)) throw error
    outcome = 'refused'
    connection.prepared('ROLLBACK TO miftah_step').run()
  }
  connection.prepared('RELEASE miftah_step').run()
  return { outcome }
}

/**
 * The statements of a step, for one transaction. A guard that does not hold makes NULL of the revision, which
 * must not be NULL: no statement depends on the answer to another, so they could be sent as a batch too.
 */
function writeStatements(write: WorkspaceWrite): readonly Sql[] {
  const { workspaceId, keys, events } = write
  const step = Math.max(1, keys.length, events.length)
  const cells = keys.map(({ record }) => keyCells(record, workspaceId))
  const changed = cells.filter((_, at) => keys[at]?.ifEdition !== null)
  const added = cells.filter((_, at) => keys[at]?.ifEdition === null)
  const logged = events.map((event) => eventCells(event, workspaceId))
  const first = sql`(SELECT revision - ${step} + 1 AS place FROM miftah_workspaces WHERE id = ${workspaceId})`
  return [
    guarded(write, step),
    ...(changed.length === 0 ? [] : [updated(workspaceId, changed)]),
    ...(added.length === 0 ? [] : [inserted('keys', added, first)]),
    ...(logged.length === 0 ? [] : [inserted('events', logged, first)]),
  ]
}

/** Moves the workspace on, if all that the step was decided from still holds. */
function guarded({ workspaceId, ifAddedAtMost, adds, keys }: WorkspaceWrite, step: number): Sql {
  const read = keys.filter(({ ifEdition }) => ifEdition !== null)
  const guard = {
    atMost: ifAddedAtMost,
    hasNew: read.length < keys.length,
    keys: read.map(({ record, ifEdition }) => [record.id, ifEdition, record.revokedAtMs]),
  }
  return sql`INSERT INTO miftah_workspaces (id, revision, added)
    SELECT g.id, CASE WHEN coalesce(coalesce(w.added, 0) <= g.guard->>'atMost', 1)
      AND NOT (g.guard->>'hasNew' AND coalesce(w.is_erased, 0))
      AND NOT EXISTS (SELECT 1 FROM json_each(g.guard, '$.keys') AS r
        LEFT JOIN miftah_keys AS k ON k.id = r.value->>0 AND k.workspace_id = g.id
        WHERE k.edition IS NOT r.value->>1
          OR k.revoked_at_ms IS NOT NULL AND k.revoked_at_ms IS NOT r.value->>2) THEN g.step END, g.adds
    FROM (SELECT ${workspaceId} AS id, ${step} AS step, ${adds} AS adds, ${JSON.stringify(guard)} AS guard) AS g
    LEFT JOIN miftah_workspaces AS w ON w.id = g.id WHERE 1
    ON CONFLICT (id) DO UPDATE SET revision = revision + excluded.revision, added = added + excluded.added`
}

/** Whether an error says that a guard did not hold, or that an id, a hash or a link is taken. */
function isRefusal(error: unknown): boolean {
  const { message } = Object(error)
  return /NOT NULL constraint failed: miftah_workspaces\.revision|UNIQUE constraint failed/.test(
    message,
  )
}

type Rows = readonly Cells[]

const cellOf = (column: string) =>
  column === 'hash' ? "unhex(r.value->>'hash')" : `r.value->>'${column}'`

const KEYS = KEY_COLUMNS.map(({ name }) => name)
const SET = KEYS.filter((name) => name !== 'id' && name !== 'workspace_id').map(
  (name) => `${name} = ${cellOf(name)}`,
)

function updated(workspaceId: string, rows: Rows): Sql {
  return sql`UPDATE miftah_keys SET ${raw(SET.join(', '))}, edition = edition + 1, written_at_ms = ${NOW}
    FROM json_each(${JSON.stringify(rows)}) AS r
    WHERE miftah_keys.id = r.value->>'id' AND +workspace_id = ${workspaceId}`
}

function inserted(table: 'keys' | 'events', rows: Rows, first: Sql): Sql {
  const [columns, own] = table === 'keys' ? [KEYS, 'edition'] : [EVENT_COLUMNS, 'is_pending']
  return sql`INSERT INTO miftah_${raw(table)} (${raw(columns.join(', '))}, place, ${raw(own)}, written_at_ms)
    SELECT ${raw(columns.map(cellOf).join(', '))}, w.place + r.key, 1, ${NOW}
    FROM ${first} AS w CROSS JOIN json_each(${JSON.stringify(rows)}) AS r`
}
