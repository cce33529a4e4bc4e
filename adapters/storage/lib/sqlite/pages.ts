import { type KeyCondition, OF_STATUS } from '../key-conditions.ts'
import { STORED_COLUMNS, STORED_KEYS } from '../sql/common-statements.ts'
import type { Pages, PageValues } from '../sql/statements.ts'
import type { SqliteDatabase, SqliteStatement, SqliteValue } from './driver.ts'

/** A statement for each kind of query is prepared when it is first needed. */
export function pagesOf(database: SqliteDatabase): Pages {
  const prepared = new Map<string, PageStatements>()
  const statementsFor = (values: PageValues) => {
    const { status, oldestFirst = false, creatorId } = values
    const name = `${oldestFirst} ${creatorId !== undefined} ${status?.join() ?? ''}`
    const known = prepared.get(name)
    if (known !== undefined) return known
    const made = preparePages(database, partsOf(values), oldestFirst)
    prepared.set(name, made)
    return made
  }
  return {
    read: (values) => statementsFor(values).page((page) => page.all.bind(page), values),
    count: (values) => statementsFor(values).total((total) => total.get.bind(total), values),
  }
}

/** Part of a page: the table with the index to read, and a condition. */
interface Part {
  readonly from: string
  readonly condition: string
}

/** The keys of a creator are found along their own index, whatever their status. */
function partsOf({ status, creatorId }: PageValues): readonly Part[] {
  const parts =
    status === null
      ? [{ from: 'miftah_keys', condition: '1' }]
      : status.flatMap((one) => OF_STATUS[one].map(partOf))
  if (creatorId === undefined) return parts
  const any = parts.map(({ condition }) => `(${condition})`).join(' OR ')
  const from = 'miftah_keys INDEXED BY miftah_keys_by_creator'
  return [{ from, condition: `creator_id = $creatorId AND (${any})` }]
}

function partOf({ sql, index }: KeyCondition): Part {
  return { from: `miftah_keys INDEXED BY miftah_keys_${index}`, condition: sql('$atMs') }
}

/** The filters that are not in an index: read of each key in turn until the page is full. */
const FILTERS = `($environment IS NULL OR environment = $environment)
        AND ($scope IS NULL OR EXISTS (SELECT 1 FROM json_each(scopes) WHERE value = $scope))
        AND ($notUsedAfterMs IS NULL OR $notUsedAfterMs >= coalesce(
          (SELECT last_used_at_ms FROM miftah_usage WHERE key_id = id), created_at_ms))
        AND ($ids IS NULL OR id IN (SELECT value FROM json_each($ids)))
        AND ($type IS NULL OR CASE WHEN $only
          THEN EXISTS (SELECT 1 FROM json_each(resources)
            WHERE key = $type AND value = json_array($resourceId))
          ELSE NOT EXISTS (SELECT 1 FROM json_each(resources) WHERE key = $type)
            OR EXISTS (SELECT 1 FROM json_each(resources) AS t, json_each(t.value) AS i
              WHERE t.key = $type AND i.value = $resourceId) END)`

/** Each part gives its first keys along its own index; the first of all of them are read. */
function preparePages(
  database: SqliteDatabase,
  parts: readonly Part[],
  oldestFirst: boolean,
): PageStatements {
  const [beyond, order] = oldestFirst ? ['>', 'ASC'] : ['<', 'DESC']
  const where = `workspace_id = $workspaceId AND ${FILTERS}`
  const selects = parts.map(
    ({ from, condition }) => `SELECT * FROM (SELECT position FROM ${from}
        WHERE ${where} AND position ${beyond} $beyond AND ${condition}
        ORDER BY position ${order} LIMIT $limit)`,
  )
  const counts = parts.map(
    ({ from, condition }) => `(SELECT count(*) FROM ${from} WHERE ${where} AND ${condition})`,
  )
  return {
    page: withNames(
      database,
      `SELECT ${STORED_COLUMNS} FROM ${STORED_KEYS}
      WHERE position IN (${selects.join(' UNION ALL ')})
      ORDER BY position ${order} LIMIT $limit`,
    ),
    total: withNames(database, `SELECT ${counts.join(' + ')} AS total`),
  }
}

/** The statements of one kind of query. */
interface PageStatements {
  readonly page: NamedStatement
  readonly total: NamedStatement
}

/** Runs a statement with its values by name. */
type NamedStatement = <T>(
  how: (statement: SqliteStatement) => (...values: SqliteValue[]) => T,
  values: PageValues,
) => T

/** Drivers bind names in different ways, and `?` in one. */
function withNames(database: SqliteDatabase, sql: string): NamedStatement {
  const names = Array.from(sql.matchAll(PARAMETER), ([, name = '']) => name)
  const statement = database.prepare(sql.replaceAll(PARAMETER, '?'))
  return (how, values) => {
    const byName = namedValues(values)
    return how(statement)(...names.map((name) => byName[name] ?? null))
  }
}

const PARAMETER = /\$(\w+)/g

function namedValues({
  status: _status,
  oldestFirst = false,
  beyond,
  resource,
  ids,
  ...values
}: PageValues): Readonly<Record<string, SqliteValue | undefined>> {
  return {
    ...values,
    beyond: beyond ?? (oldestFirst ? 0 : Number.MAX_SAFE_INTEGER),
    ids: ids === undefined ? null : JSON.stringify(ids),
    type: resource?.type ?? null,
    resourceId: resource?.id ?? null,
    only: resource?.match === 'only' ? 1 : 0,
  }
}
