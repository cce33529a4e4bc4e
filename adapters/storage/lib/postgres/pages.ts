import type {
  DueQuery,
  EventQuery,
  KeyPageQuery,
  PersonQuery,
} from '../../../../src/storage/index.ts'
import { optionalIntegerIn } from '../sql/cells.ts'
import { countsAt, ofStatus } from '../sql/conditions.ts'
import { eventPageFrom, heldKeyFrom, keyPageFrom } from '../sql/rows.ts'
import type { StorableStorage } from '../storable-storage.ts'
import type { Ask } from './ask.ts'
import type { Statement } from './driver.ts'
import { type At, fromPrimary, HELD_KEY, listOf, objectOf, parsed, texts } from './sql.ts'

export function pagesOn({ at, read }: Ask) {
  const heldKeys = async (answer: Promise<string | null>) =>
    listOf(parsed(await answer)).map(heldKeyFrom)
  return {
    list: async (workspaceId, query, call) => {
      const row = objectOf(await read(list(at, workspaceId, query), call))
      return keyPageFrom(listOf(row['keys']), query.limit, {
        activeKeys: optionalIntegerIn(row, 'activeKeys'),
        total: optionalIntegerIn(row, 'total'),
      })
    },
    events: async (workspaceId, query, call) =>
      eventPageFrom(listOf(parsed(await read(events(at, workspaceId, query), call)))),
    due: (query, call) => heldKeys(read(due(at, query), call)),
    keysOfPerson: (query, call) => heldKeys(read(keysOfPerson(at, query), call)),
  } satisfies Partial<StorableStorage>
}

const AT_MS = '$2::text::bigint'

/**
 * A page of keys and the counts in one snapshot. Living keys and revoked ones are read each along their own index. Usage
 * is read in a subquery for each key of the page, along its index; a join scans the whole table when it is small.
 */
function list(at: At, workspaceId: string, query: KeyPageQuery): Statement {
  const { after, oldestFirst = false, countUpTo } = query
  const [beyond, order] = oldestFirst ? ['>', 'ASC'] : ['<', 'DESC']
  const values = [workspaceId, String(query.atMs), String(query.limit + 1)]
  const parameter = (value: string) => `$${values.push(value)}`
  const filters = filtersOf(at, query, parameter)
  const bound =
    after === null ? '' : ` AND k.place ${beyond} ${parameter(String(after))}::text::bigint`
  const most = countUpTo === null ? '' : `LIMIT ${parameter(String(countUpTo))}::text::bigint + 1`
  const from = `FROM ${at('keys')} k WHERE k.workspace_id = $1`
  // The instant is named in any case, since each parameter of a statement has to be used.
  const conditions = ofStatus(query.status, AT_MS).map(
    ({ where }) => `(${where}) AND ${AT_MS} IS NOT NULL`,
  )
  const pages = conditions.map(
    (condition) => `(SELECT k AS key, k.place ${from}
      AND ${condition}${filters}${bound} ORDER BY k.place ${order} LIMIT $3::text::bigint)`,
  )
  const any = conditions.map((condition) => `(${condition})`).join(' OR ')
  const countOf = (condition: string) =>
    countUpTo === null
      ? 'NULL'
      : `(SELECT count(*) FROM (SELECT ${from} AND ${condition} ${most}) c)`
  const held = HELD_KEY.replaceAll(/\bk\./g, '(f.key).')
  const text = fromPrimary(`SELECT json_build_object(
    'activeKeys', ${countOf(countsAt(AT_MS))},
    'total', ${after === null ? countOf(`(${any})${filters}`) : 'NULL'},
    'keys', (SELECT json_agg(p.held ORDER BY p.place ${order}) FROM (
      SELECT ${held} AS held, f.place
      FROM (SELECT a.* FROM (${pages.join(' UNION ALL ')}) a ORDER BY a.place ${order} LIMIT $3::text::bigint) f
      LEFT JOIN LATERAL (SELECT * FROM ${at('usage')} u WHERE u.key_id = (f.key).id) u ON true) p))`)
  return { text, values }
}

/** The filters that are in no index: read of each key in turn until the page is full. */
function filtersOf(at: At, query: KeyPageQuery, parameter: (value: string) => string): string {
  const { environment, scope, creatorId, resource, ids, notUsedAfterMs } = query
  const all: string[] = []
  if (environment !== null) all.push(`k.environment = ${parameter(environment)}`)
  if (creatorId !== undefined) all.push(`k.creator_id = ${parameter(creatorId)}`)
  if (ids !== undefined) all.push(`k.id = ANY (${texts(parameter(JSON.stringify(ids)))})`)
  if (resource !== undefined) {
    const list = `k.resources -> ${parameter(resource.type)}::text`
    const id = `${parameter(JSON.stringify([resource.id]))}::text::jsonb`
    all.push(resource.match === 'only' ? `${list} = ${id}` : `(${list} @> ${id}) IS NOT FALSE`)
  }
  if (scope !== undefined) all.push(`${parameter(scope)} = ANY (k.scopes)`)
  if (notUsedAfterMs !== undefined) {
    const lastUse = `(SELECT u.last_used_at_ms FROM ${at('usage')} u WHERE u.key_id = k.id)`
    const bound = `${parameter(String(notUsedAfterMs))}::text::bigint`
    all.push(`greatest(k.created_at_ms, ${lastUse}) <= ${bound}`)
  }
  return all.map((condition) => ` AND ${condition}`).join('')
}

/**
 * A range of the index, rather than a workspace and a range of its events: without statistics the
 * server would sort the whole log. The workspace as an expression keeps the other index away.
 */
function events(at: At, workspaceId: string, query: EventQuery): Statement {
  const { after, keyId = null, newestFirst = false, limit } = query
  const [order, beyond, until] = newestFirst ? ['DESC', '<', '>='] : ['ASC', '>', '<=']
  const [first, last] = newestFirst ? ['9223372036854775807', '-1'] : ['-1', '9223372036854775807']
  const column = keyId === null ? 'workspace_id' : 'key_id'
  const condition = keyId === null ? '' : " AND (e.workspace_id || '') = $1"
  const value = keyId === null ? '$1' : '$4'
  const text = fromPrimary(`SELECT json_agg(p ORDER BY p.place ${order})
    FROM (SELECT e.* FROM ${at('events')} e
      WHERE (e.${column}, e.place) ${beyond} (${value}, $2::text::bigint)
        AND (e.${column}, e.place) ${until} (${value}, ${last})${condition}
      ORDER BY e.${column} ${order}, e.place ${order} LIMIT $3::text::bigint) p`)
  const values = [workspaceId, String(after ?? first), String(limit)]
  return { text, values: keyId === null ? values : [...values, keyId] }
}

function due(at: At, { atMs, limit }: DueQuery): Statement {
  const text = fromPrimary(`SELECT json_agg(${HELD_KEY} ORDER BY k.notice_at_ms)
    FROM (SELECT * FROM ${at('keys')} d WHERE d.notice_at_ms <= $1::text::bigint
      ORDER BY d.notice_at_ms LIMIT $2::text::bigint) k
    LEFT JOIN ${at('usage')} u ON u.key_id = k.id`)
  return { text, values: [String(atMs), String(limit)] }
}

function keysOfPerson(at: At, { personId, limit }: PersonQuery): Statement {
  const text = fromPrimary(`SELECT json_agg(${HELD_KEY})
    FROM (SELECT * FROM ${at('keys')} c WHERE c.creator_id = $1
      UNION SELECT * FROM ${at('keys')} c WHERE c.paused_by_id = $1 LIMIT $2::text::bigint) k
    LEFT JOIN ${at('usage')} u ON u.key_id = k.id`)
  return { text, values: [personId, String(limit)] }
}
