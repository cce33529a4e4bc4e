import type { KeyWrite, WorkspaceWrite, WriteOutcome } from '../../../../src/storage/index.ts'
import { integerIn, rowFrom } from '../sql/cells.ts'
import { EVENT_COLUMNS, eventCells, KEY_COLUMNS, keyCells, valuesOf } from '../sql/columns.ts'
import { raw, type Sql, sql } from '../sql/sql.ts'
import { complete } from '../sql/work.ts'
import { insertOf, NOW_MS, NOW_US, tableOf } from './dialect.ts'
import { errnoOf, notPrimary } from './errors.ts'
import { logKeys } from './log.ts'
import { refusal } from './server.ts'
import { IS_WRITABLE, type Session } from './session.ts'

/** A guard of the write does not hold, or an id is taken. */
export class Refused extends Error {}

/** ER_DUP_ENTRY. */
const TAKEN = 1062

/** Runs a write in a transaction, which an error has to end. The row of the workspace comes first: it is the lock. */
export async function writeOn(on: Session, write: WorkspaceWrite): Promise<WriteOutcome> {
  const must = async (rows: number, statement: Sql) => {
    const { changes } = await on.run(statement).catch((error: unknown) => {
      throw errnoOf(error) === TAKEN ? new Refused() : error
    })
    if (changes !== rows) throw new Refused()
  }
  const { workspaceId, keys, events } = write
  await on.run(sql`INSERT INTO miftah_workspaces (id, revision, added, is_erased)
    VALUES (${workspaceId}, 0, 0, 0) ON DUPLICATE KEY UPDATE id = id`)
  await must(1, guarded(write))
  const { position, first, isUsed, head } = await stateOf(on, write)

  const known = keys.filter(({ ifEdition }) => ifEdition !== null).sort(byId)
  if (known.length > 0) await must(known.length, updateOf(workspaceId, known))
  const fresh = keys.flatMap(({ record, ifEdition }, at) =>
    ifEdition === null
      ? [[...valuesOf(keyCells(record, workspaceId), KEYS), first + at, 1, NOW_MS]]
      : [],
  )
  const added = [...KEYS, 'place', 'edition', 'written_at_ms']
  if (fresh.length > 0) await must(fresh.length, insertOf('keys', added, fresh))
  const happened = events.map((event, at) => [
    ...valuesOf(eventCells(event, workspaceId), EVENT_COLUMNS),
    ...[first + at, position + at, 1, NOW_MS],
  ])
  const logged = [...EVENT_COLUMNS, 'place', 'position', 'is_pending', 'written_at_ms']
  if (happened.length > 0) await must(happened.length, insertOf('events', logged, happened))

  if (known.length === 0) return { outcome: 'stored', isLogged: isUsed }
  const hashes = known.map(({ record }) => record.hash)
  const isLogged = await complete(logKeys(hashes, head), (one) => on.run(one))
  return { outcome: 'stored', isLogged }
}

function byId({ record: one }: KeyWrite, { record: other }: KeyWrite): number {
  return one.id < other.id ? -1 : 1
}

function guarded({ workspaceId, ifAddedAtMost, adds, keys, events }: WorkspaceWrite): Sql {
  const hasNewKey = keys.some(({ ifEdition }) => ifEdition === null)
  const step = Math.max(1, keys.length, events.length)
  return sql`UPDATE miftah_workspaces SET revision = revision + ${step}, added = added + ${adds}
    WHERE id = ${workspaceId} AND (is_erased = 0 OR ${hasNewKey ? 0 : 1})
      AND added <= COALESCE(${ifAddedAtMost}, added)`
}

/**
 * The first place and position of the step, and whether the log is in use. Positions grow in a workspace also where
 * clocks go back, and on a cluster, where numbers of AUTO_INCREMENT do not.
 */
async function stateOf(on: Session, { workspaceId, keys, events }: WorkspaceWrite) {
  const step = Math.max(1, keys.length, events.length)
  const last = sql`(SELECT e.position FROM miftah_events AS e WHERE e.workspace_id = ${workspaceId}
    ORDER BY e.place DESC LIMIT 1)`
  const { rows } =
    await on.run(sql`SELECT w.revision, c.head, c.is_used, ${raw(IS_WRITABLE)} AS is_writable,
      @@unique_checks = 1 AND LOCATE('STRICT_', @@sql_mode) > 0 AS is_safe,
      GREATEST(${NOW_US}, COALESCE(${last} + 1, 0)) AS position
    FROM miftah_workspaces AS w CROSS JOIN miftah_clock AS c
    WHERE w.id = ${workspaceId} LIMIT 1`)
  const row = rowFrom(rows[0])
  if (integerIn(row, 'is_writable') !== 1) throw notPrimary()
  if (integerIn(row, 'is_safe') !== 1) {
    throw refusal(
      'a session of the pool must have unique_checks and STRICT_TRANS_TABLES in sql_mode',
    )
  }
  return {
    first: integerIn(row, 'revision') - step + 1,
    position: integerIn(row, 'position'),
    head: integerIn(row, 'head'),
    isUsed: integerIn(row, 'is_used') === 1,
  }
}

const KEYS = KEY_COLUMNS.map(({ name }) => name)

const SET = KEYS.filter((name) => name !== 'id' && name !== 'workspace_id').map(
  (name) => `k.${name} = n.${name}`,
)

/** In the order of ids, in which transactions that lock the same keys wait for each other. */
function updateOf(workspaceId: string, known: readonly KeyWrite[]): Sql {
  const rows = known.map(({ record, ifEdition }) => [
    ...valuesOf(keyCells(record, workspaceId), KEYS),
    ifEdition,
  ])
  return sql`UPDATE ${tableOf([...KEYS, 'if_edition'], rows)} AS n
    STRAIGHT_JOIN miftah_keys AS k ON k.id = n.id
    SET ${raw(SET.join(', '))}, k.edition = k.edition + 1, k.written_at_ms = ${NOW_MS}
    WHERE k.workspace_id = ${workspaceId} AND k.edition = n.if_edition
      AND (k.revoked_at_ms IS NULL OR k.revoked_at_ms <=> n.revoked_at_ms)`
}
