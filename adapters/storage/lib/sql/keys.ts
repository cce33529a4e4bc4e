import type {
  DueQuery,
  HeldKey,
  KeyFilters,
  KeyPage,
  KeyPageQuery,
  KeyRecord,
  PersonQuery,
  ViewQuery,
  WorkspaceView,
} from '../../../../src/storage/index.ts'
import { integerIn, type SqlRow, textIn } from './cells.ts'
import { KEY_COLUMNS } from './columns.ts'
import { countsAt, ofStatus, retiresAt } from './conditions.ts'
import type { Dialect, Index } from './dialect.ts'
import { bytesFromHash } from './hash-bytes.ts'
import { heldKeyFrom, keyPageFrom, keyRecordFrom } from './rows.ts'
import { joined, raw, type Sql, sql, withValue } from './sql.ts'
import { each, type Result, rowsOf, type Work } from './work.ts'

export const RECORD = raw(KEY_COLUMNS.map(({ name }) => `k.${name}`).join(', '))
const HELD = sql`${RECORD}, k.edition, k.place, u.uses, u.last_used_at_ms`

export function keyByHash(of: Dialect, hash: string): Sql {
  return sql`SELECT ${RECORD} FROM ${of.table('keys')} AS k WHERE k.hash = ${bytesFromHash(hash)}`
}

export function* findByHash(of: Dialect, hash: string): Work<KeyRecord | null> {
  const [row] = yield* rowsOf(keyByHash(of, hash))
  return row === undefined ? null : keyRecordFrom(row)
}

/** The row of the workspace is read first. */
export function* read(of: Dialect, query: ViewQuery): Work<WorkspaceView> {
  const { workspaceId, ids, eventIds, countAtMs, countUpTo } = query
  const keys = sql`SELECT ${HELD} FROM ${heldAlong(of, 'keys_id')}
    WHERE k.id IN ${of.list(ids)} AND k.workspace_id = ${workspaceId}`
  const events = sql`SELECT id FROM ${of.table('events')} ${of.along('events_of_id')}
    WHERE id IN ${of.list(eventIds)} AND workspace_id = ${workspaceId}`
  const [workspaces, held, known, counts] = yield* each(
    sql`SELECT added, is_erased FROM ${of.table('workspaces')} WHERE id = ${workspaceId}`,
    ids.length === 0 ? null : keys,
    eventIds.length === 0 ? null : events,
    countAtMs === null ? null : countOf(of, workspaceId, countAtMs, countUpTo),
  )
  const [workspace = NEW_WORKSPACE] = workspaces.rows
  return {
    isErased: integerIn(workspace, 'is_erased') === 1,
    added: integerIn(workspace, 'added'),
    keys: held.rows.map(heldKeyFrom),
    eventIds: known.rows.map((row) => textIn(row, 'id')),
    activeKeys: countIn(counts, 'active_keys', countUpTo),
    retiringKeys: countIn(counts, 'retiring_keys', countUpTo),
  }
}

const NEW_WORKSPACE: SqlRow = { added: 0, is_erased: 0 }

/** A count, at most one more than `upTo`; `null` where nothing was counted. */
function countIn({ rows: [row] }: Result, column: string, upTo: number | null): number | null {
  return row === undefined ? null : Math.min(integerIn(row, column), (upTo ?? Infinity) + 1)
}

function countOf(of: Dialect, workspaceId: string, atMs: number, countUpTo: number | null): Sql {
  const count = (index: Index, where: string) =>
    counted(
      sql`${of.table('keys')} AS k ${of.along(index)}
      WHERE workspace_id = ${workspaceId} AND ${withValue(where, atMs)}`,
      countUpTo,
    )
  return sql`SELECT ${count('keys_living', countsAt('?'))} AS active_keys,
    ${count('keys_retiring', retiresAt('?'))} AS retiring_keys`
}

/** Counts rows, at most one more than `upTo`. */
function counted(rows: Sql, upTo: number | null): Sql {
  if (upTo === null) return sql`(SELECT COUNT(*) FROM ${rows})`
  return sql`(SELECT COUNT(*) FROM (SELECT 1 AS one FROM ${rows} LIMIT ${upTo + 1}) AS counted)`
}

function heldAlong(of: Dialect, index: Index): Sql {
  return sql`${of.table('keys')} AS k ${of.along(index)}
    LEFT JOIN ${of.table('usage')} AS u ON u.key_id = k.id`
}

/** Each part of the page is found along its own index. */
export function* list(of: Dialect, workspaceId: string, query: KeyPageQuery): Work<KeyPage> {
  const { after, oldestFirst = false, limit, countUpTo, atMs } = query
  const [beyond, order] = oldestFirst ? [raw('>'), raw('ASC')] : [raw('<'), raw('DESC')]
  const first = oldestFirst ? 0 : Number.MAX_SAFE_INTEGER
  const parts = partsOf(of, workspaceId, query)
  const places = parts.map(
    (part, at) => sql`SELECT place FROM (SELECT place FROM ${part}
    AND place ${beyond} ${after ?? first} ORDER BY place ${order} LIMIT ${limit + 1})
    AS ${raw(`part_${at}`)}`,
  )
  const page = sql`SELECT ${HELD} FROM (${joined(places, ' UNION ALL ')}) AS p
    CROSS JOIN ${heldAlong(of, 'keys_workspace')}
    WHERE k.workspace_id = ${workspaceId} AND k.place = p.place
    ORDER BY k.place ${order} LIMIT ${limit + 1}`
  const totals = parts.map((part) => counted(part, countUpTo))
  const [found, active, total] = yield* each(
    page,
    countUpTo === null ? null : countOf(of, workspaceId, atMs, countUpTo),
    countUpTo === null || after !== null ? null : sql`SELECT ${joined(totals, ' + ')} AS total`,
  )
  return keyPageFrom(found.rows, limit, {
    activeKeys: countIn(active, 'active_keys', countUpTo),
    total: countIn(total, 'total', countUpTo),
  })
}

/** The keys that pass the filters, in parts that have no key in common. */
function partsOf(of: Dialect, workspaceId: string, filters: KeyFilters): readonly Sql[] {
  const { status, creatorId, ids, atMs } = filters
  const others = joined([sql`workspace_id = ${workspaceId}`, ...conditionsOf(of, filters)], ' AND ')
  const along = (index: Index, where: string) =>
    sql`${of.table('keys')} AS k ${of.along(index)} WHERE ${others} AND ${withValue(where, atMs)}`
  const parts = ofStatus(status, '?')
  if (ids === undefined && creatorId === undefined) {
    return parts.map(({ index, where }) => along(index, where))
  }
  const any = parts.map(({ where }) => `(${where})`).join(' OR ')
  return [along(ids === undefined ? 'keys_creator' : 'keys_id', `(${any})`)]
}

function conditionsOf(
  of: Dialect,
  { environment, scope, creatorId, resource, ids, notUsedAfterMs }: KeyFilters,
): readonly Sql[] {
  const all: Sql[] = []
  if (environment !== null) all.push(sql`environment = ${environment}`)
  if (scope !== undefined) all.push(of.hasScope(scope))
  if (creatorId !== undefined) all.push(sql`creator_id = ${creatorId}`)
  if (resource !== undefined) all.push(of.reaches(resource))
  if (ids !== undefined) all.push(sql`id IN ${of.list(ids)}`)
  if (notUsedAfterMs !== undefined) {
    all.push(sql`created_at_ms <= ${notUsedAfterMs} AND NOT EXISTS (SELECT 1
      FROM ${of.table('usage')} AS u WHERE u.key_id = k.id AND u.last_used_at_ms > ${notUsedAfterMs})`)
  }
  return all
}

export function* due(of: Dialect, { atMs, limit }: DueQuery): Work<readonly HeldKey[]> {
  const rows = yield* rowsOf(sql`SELECT ${HELD} FROM ${heldAlong(of, 'keys_notice')}
    WHERE k.notice_at_ms <= ${atMs} ORDER BY k.notice_at_ms LIMIT ${limit}`)
  return rows.map(heldKeyFrom)
}

export function* keysOfPerson(
  of: Dialect,
  { personId, limit }: PersonQuery,
): Work<readonly HeldKey[]> {
  const keys = of.table('keys')
  const rows = yield* rowsOf(sql`SELECT ${HELD} FROM (
      SELECT id AS named FROM ${keys} WHERE creator_id = ${personId}
      UNION ALL SELECT id FROM ${keys}
        WHERE paused_by_id = ${personId} AND creator_id <> ${personId} LIMIT ${limit}) AS p
    CROSS JOIN ${heldAlong(of, 'keys_id')} WHERE k.id = p.named`)
  return rows.map(heldKeyFrom)
}
