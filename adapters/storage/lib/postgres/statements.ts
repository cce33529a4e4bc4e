import type {
  EventQuery,
  KeyPageQuery,
  NoticeQuery,
  ResourceFilter,
  UsageQuery,
} from '../../../../src/storage/index.ts'
import { KEY_COLUMNS } from '../key-columns.ts'
import { type KeyCondition, OF_ANY_STATUS, OF_STATUS } from '../key-conditions.ts'
import { activeKeys } from './active-keys.ts'
import type { Attempt } from './calls.ts'
import type { Statement } from './driver.ts'
import type { Names } from './names.ts'
import { qualified } from './qualified.ts'
import { type CallTime, stamped } from './server-clock.ts'

/**
 * Fails with SQLSTATE 25006 on a read replica, which may lag behind. An error rather than an answer,
 * because a pool closes the connection of an error, and the next one may lead to the primary.
 */
const FAILS_ON_REPLICA = 'pg_catalog.txid_current()::text'

/** A key `k` as one text: a JSON array of its hash in hex digits and its other columns. */
const KEY_LINE = `pg_catalog.json_build_array(
  pg_catalog.encode(k.hash, 'hex'), ${KEY_COLUMNS.map(({ name }) => `k.${name}`).join(', ')})::text`

/** The statements of one installation. */
export interface Statements {
  /** Answers one line for the key, which `key-line.ts` reads. */
  readonly findOne: (hash: string) => Statement
  /** Answers one line for each key, in any order. */
  readonly findMany: (hashes: readonly string[]) => Statement
  readonly findById: (workspaceId: string, id: string) => Statement
  readonly list: (workspaceId: string, query: KeyPageQuery) => Statement
  readonly usage: (workspaceId: string, query: UsageQuery) => Statement
  readonly events: (workspaceId: string, query: EventQuery) => Statement
  readonly dueNotices: (query: NoticeQuery) => Statement
  /**
   * A call of a function that changes something, with one argument as JSON text. In front of its answer
   * is the server's clock, which `ServerClock` reads.
   */
  readonly call: (name: string, argument: string, attempt: Attempt & Partial<CallTime>) => Statement
}

/** Writes all statements for the tables of `names`. */
export function statementsOf(names: Names): Statements {
  const { at } = names
  const lines = (where: string) =>
    qualified(`SELECT ${FAILS_ON_REPLICA} AS answer WHERE pg_catalog.pg_is_in_recovery()
UNION ALL SELECT ${KEY_LINE} FROM ${at('keys')} k WHERE k.hash ${where}`)
  const one = lines('= $1::text::bytea')
  const many = lines('= ANY ($1::text::bytea[])')
  const byId = fromPrimary(`SELECT ${at('stored_key')}(k, u)
  FROM ${at('keys')} k JOIN ${at('usage')} u ON u.id = k.id
  WHERE k.id = $2::text AND k.workspace_id = $1::text`)
  const due = fromPrimary(`SELECT pg_catalog.json_agg(pg_catalog.json_build_object(
      'dueAtMs', d.due_at_ms, 'record', (SELECT ${at('stored_key')}(k, u)
        FROM ${at('keys')} k JOIN ${at('usage')} u ON u.id = k.id WHERE k.id = d.id))
      ORDER BY d.due_at_ms)
    FROM (SELECT n.id, n.due_at_ms FROM ${at('notices')} n
      WHERE n.due_at_ms <= $1::text::bigint
      ORDER BY n.due_at_ms LIMIT $2::text::bigint) d`)
  return {
    findOne: (hash) => ({ text: one, values: [bytea(hash)], isLookup: true }),
    findMany: (hashes) => ({ text: many, values: [byteaArray(hashes)], isLookup: true }),
    findById: (workspaceId, id) => ({ text: byId, values: [workspaceId, id] }),
    list: (workspaceId, query) => listStatement(names, workspaceId, query),
    usage: (workspaceId, query) => usageStatement(names, workspaceId, query),
    events: (workspaceId, query) => eventsStatement(names, workspaceId, query),
    dueNotices: ({ atMs, limit }) => ({ text: due, values: [String(atMs), String(limit)] }),
    call: (name, argument, { leftMs, ...attempt }) => ({
      // A function in FROM has returned before the clock is read.
      text: qualified(`SELECT ${stamped('c.answer')} AS answer
  FROM ${at(name)}($1::text::jsonb || $2::text::jsonb) AS c (answer)`),
      values: [argument, JSON.stringify({ ...attempt, lockTimeoutMs: lockTimeoutOf(leftMs) })],
    }),
  }
}

/** A read of one value that fails on a replica. */
export function fromPrimary(select: string): string {
  return qualified(`SELECT CASE WHEN pg_catalog.pg_is_in_recovery() THEN ${FAILS_ON_REPLICA} ELSE (
  ${select}
)::text END AS answer`)
}

/** The longest wait for a lock that PostgreSQL takes. */
const LONGEST_LOCK_MS = 2 ** 31 - 1

/** Leaves time for the answer that the wait for a lock failed. Without a limit the function has its own. */
function lockTimeoutOf(leftMs: number): string | undefined {
  if (!Number.isFinite(leftMs)) return undefined
  return String(Math.min(Math.max(1, Math.floor(leftMs * 0.6)), LONGEST_LOCK_MS))
}

/** The instant of a page. */
const AT_MS = '$4::text::bigint'

const AFTER_ALL = '9223372036854775807'

/**
 * The page and the count of active keys in one snapshot. At most one page of each combination of
 * status and environment is read, along its own index, and the newest of all are taken. So a rare
 * match among many keys costs no more than a frequent one. Usage is read in a subquery for each key,
 * along its index; a join scans the whole table when it is small.
 */
function listStatement(names: Names, workspaceId: string, query: KeyPageQuery): Statement {
  const { at } = names
  const known = placeOf(names, 'key')
  const { after, oldestFirst = false } = query
  const [beyond, order] = oldestFirst ? ['>', 'ASC'] : ['<', 'DESC']
  const end = oldestFirst ? '-1' : AFTER_ALL
  const bound = after === null ? end : known
  const given = filtersOf(names, query)
  const filters = given.map(({ condition }, index) => ` AND ${condition(`$${index + 5}`)}`).join('')
  const combinations = environmentsOf(query).flatMap((environment) =>
    conditionsOf(query).map((condition) => {
      const { environment: inEnvironment, seq } = columnsBeside(condition)
      const matching = `FROM ${at('keys')} k
    WHERE k.workspace_id = $1 AND ${inEnvironment} = '${environment}' AND ${condition.sql(AT_MS)}${filters}`
      return {
        page: `(SELECT k AS key, k.id, k.seq ${matching}
      AND ${seq} ${beyond} ${bound} ORDER BY ${seq} ${order} LIMIT $3::text::bigint)`,
        count: `(SELECT pg_catalog.count(*) ${matching})`,
      }
    }),
  )
  const total = after === null ? combinations.map(({ count }) => count).join(' + ') : 'NULL'
  const text = fromPrimary(`SELECT pg_catalog.json_build_object(
    'isKnown', ${query.after === null ? '$2::text IS NOT NULL' : `EXISTS ${known}`},
    'activeKeys', ${activeKeys(at, '$1', AT_MS)},
    'total', ${total},
    'records', (SELECT pg_catalog.json_agg(
        (SELECT ${at('stored_key')}(p.key, u) FROM ${at('usage')} u WHERE u.id = p.id)
        ORDER BY p.seq ${order})
      FROM (SELECT f.* FROM (${combinations.map(({ page }) => page).join(' UNION ALL ')}) f
        ORDER BY f.seq ${order} LIMIT $3::text::bigint) p))`)
  const values = [workspaceId, query.after ?? '', String(query.limit + 1), String(query.atMs)]
  return { text, values: [...values, ...given.map(({ value }) => value)] }
}

interface Filter {
  /** The value, and its condition by the parameter that holds it. */
  readonly value: string
  readonly condition: (parameter: string) => string
}

/** The filters that are in no index: read of each key in turn until the page is full. */
function filtersOf(
  { at }: Names,
  { scope, creatorId, resource, ids, notUsedAfterMs }: KeyPageQuery,
): readonly Filter[] {
  const filters: Filter[] = []
  if (creatorId !== undefined) {
    filters.push({ value: creatorId, condition: (parameter) => `k.creator_id = ${parameter}` })
  }
  if (ids !== undefined) {
    const condition = (parameter: string) =>
      `k.id = ANY (ARRAY(SELECT pg_catalog.jsonb_array_elements_text(${parameter}::text::jsonb)))`
    filters.push({ value: JSON.stringify(ids), condition })
  }
  if (resource !== undefined) filters.push(resourceFilter(resource))
  if (scope !== undefined) {
    filters.push({ value: scope, condition: (parameter) => `${parameter} = ANY (k.scopes)` })
  }
  if (notUsedAfterMs !== undefined) {
    const lastUse = `(SELECT u.last_used_at_ms FROM ${at('usage')} u WHERE u.id = k.id)`
    filters.push({
      value: String(notUsedAfterMs),
      condition: (parameter) =>
        `coalesce(${lastUse}, k.created_at_ms) <= ${parameter}::text::bigint`,
    })
  }
  return filters
}

/** The parameter is `[type, [id]]` as JSON. */
function resourceFilter({ type, id, match }: ResourceFilter): Filter {
  return {
    value: JSON.stringify([type, [id]]),
    condition: (parameter) => {
      const json = `${parameter}::text::jsonb`
      const list = `pg_catalog.jsonb_extract_path(k.resources,
        pg_catalog.jsonb_array_element_text(${json}, 0))`
      const ids = `pg_catalog.jsonb_array_element(${json}, 1)`
      if (match === 'only') return `${list} = ${ids}`
      return `pg_catalog.jsonb_contains(${list}, ${ids}) IS NOT FALSE`
    },
  }
}

/** Where a key or an event is or was, as rows of `seq` in SQL. */
function placeOf({ at }: Names, kind: 'key' | 'event'): string {
  return `(SELECT c.seq FROM ${at(`${kind}s`)} c WHERE c.id = $2 AND c.workspace_id = $1
    UNION ALL SELECT g.seq FROM ${at('purged')} g
      WHERE g.kind = '${kind}' AND g.id = $2 AND g.workspace_id = $1)`
}

function environmentsOf({ environment }: KeyPageQuery): readonly string[] {
  if (environment === null) return ['live', 'test']
  return environment === 'live' ? ['live'] : ['test']
}

function conditionsOf({ status }: KeyPageQuery): readonly KeyCondition[] {
  return status === null ? OF_ANY_STATUS : status.flatMap((one) => OF_STATUS[one])
}

/**
 * How the columns are written that the index of a condition lacks. As expressions no other index
 * serves them: without statistics, the server would read every active key by `seq`.
 */
function columnsBeside({ index }: KeyCondition) {
  return index === 'expiring' || index === 'retiring'
    ? { environment: "(k.environment || '')", seq: '(k.seq + 0)' }
    : { environment: 'k.environment', seq: 'k.seq' }
}

/** The counts of the keys along their index; the ids are read first, or a join reads every row. */
function usageStatement({ at }: Names, workspaceId: string, query: UsageQuery): Statement {
  const { id, hours, days } = query
  const one = id === null ? '' : ' AND k.id = $2'
  const ids = `SELECT k.id FROM ${at('keys')} k WHERE k.workspace_id = $1${one}`
  const firstHour = `(SELECT r.first_hour FROM ${at('usage_retention')} r)`
  const counts = (period: 'hour' | 'day', [from, to, kept]: readonly string[]) => `(
    SELECT pg_catalog.json_agg(c) FROM (
      SELECT h.${period} AS at, h.outcome,
        LEAST(pg_catalog.sum(h.count), ${Number.MAX_SAFE_INTEGER})::bigint AS count
      FROM ${at(`usage_${period}s`)} h
      WHERE h.id = ANY (ARRAY(${ids})) AND h.${period} >= ${from}::text::bigint
        AND h.${period} < ${to}::text::bigint AND ${kept}
      GROUP BY h.${period}, h.outcome) c)`
  const text = fromPrimary(`SELECT pg_catalog.json_build_object(
    'isKnown', ${id === null ? '$2::text IS NOT NULL' : `EXISTS (${ids})`},
    'hours', ${counts('hour', ['$3', '$4', `h.hour >= ${firstHour}`])},
    'days', ${counts('day', ['$5', '$6', `(h.day * 24) < ${firstHour}`])})`)
  const range = [hours.from, hours.to, days.from, days.to].map(String)
  return { text, values: [workspaceId, id ?? '', ...range] }
}

/**
 * A range of the index, rather than a workspace and a range of its events: without statistics the
 * server would sort the whole log, 4 times as slow at 30,000 events (`npm run bench -- growth`).
 */
function eventsStatement(names: Names, workspaceId: string, query: EventQuery): Statement {
  const { at } = names
  const { after, keyId = null, newestFirst = false, limit } = query
  const known = placeOf(names, 'event')
  const [order, first, last] = newestFirst ? ['DESC', AFTER_ALL, '-1'] : ['ASC', '-1', AFTER_ALL]
  const [beyond, until] = newestFirst ? ['<', '>='] : ['>', '<=']
  const bound = after === null ? first : known
  const { column, value, condition } = keyId === null ? OF_WORKSPACE : OF_KEY
  const text = fromPrimary(`SELECT pg_catalog.json_build_object(
    'isKnown', ${after === null ? '$2::text IS NOT NULL' : `EXISTS ${known}`},
    'records', (SELECT pg_catalog.json_agg(p ORDER BY p.seq ${order})
      FROM (SELECT e.* FROM ${at('events')} e
        WHERE (e.${column}, e.seq) ${beyond} (${value}, ${bound})
          AND (e.${column}, e.seq) ${until} (${value}, ${last})${condition}
        ORDER BY e.${column} ${order}, e.seq ${order} LIMIT $3::text::bigint) p))`)
  const values = [workspaceId, after ?? '', String(limit)]
  return { text, values: keyId === null ? values : [...values, keyId] }
}

/** Which index a page of events is read along. The workspace as an expression keeps the other away. */
const OF_WORKSPACE = { column: 'workspace_id', value: '$1', condition: '' }
const OF_KEY = { column: 'key_id', value: '$4', condition: " AND (e.workspace_id || '') = $1" }

function bytea(hash: string): string {
  return `\\x${hash}`
}

function byteaArray(hashes: readonly string[]): string {
  return `{"\\\\x${hashes.join('","\\\\x')}"}`
}
