import type { KeyPageQuery } from '../../../../src/storage/index.ts'
import { KEY_COLUMNS, USAGE_COLUMNS } from '../key-columns.ts'
import { type KeyCondition, OF_STATUS } from '../key-conditions.ts'
import type { PageValues, ReadPage } from '../sql/statements.ts'
import type { SqliteDatabase, SqliteStatement, SqliteValue } from './driver.ts'

/** The columns of a key's record. */
export const RECORD_COLUMNS = ['hash', ...KEY_COLUMNS.map(({ name }) => name)]

/** The same and those of its usage, from {@link STORED_KEYS}. */
export const STORED_COLUMNS = [...RECORD_COLUMNS, ...USAGE_COLUMNS.map(({ name }) => name)].join(
  ', ',
)

/** Keys with their usage. */
export const STORED_KEYS = 'miftah_keys CROSS JOIN miftah_usage ON key_id = id'

/** Reads pages. A statement for each set of statuses is prepared when it is first asked for. */
export function pagesOf(database: SqliteDatabase): ReadPage {
  const prepared = new Map<string, Page>()
  return (values) => {
    const { status } = values
    const name = status?.join() ?? ''
    const known = prepared.get(name)
    const page = known ?? preparePage(database, partsOf(status))
    if (known === undefined) prepared.set(name, page)
    return page.statement.all(...page.valuesOf(values))
  }
}

/** Part of a page: the table with the index to read, and a condition. */
interface Part {
  readonly from: string
  readonly condition: string
}

function partsOf(status: KeyPageQuery['status']): readonly Part[] {
  if (status === null) return [{ from: 'miftah_keys', condition: '1' }]
  return status.flatMap((one) => OF_STATUS[one].map(partOf))
}

function partOf({ sql, index }: KeyCondition): Part {
  return { from: `miftah_keys INDEXED BY miftah_keys_${index}`, condition: sql('$atMs') }
}

interface Page {
  readonly statement: SqliteStatement
  /** The parameters in their order. */
  readonly valuesOf: (values: PageValues) => readonly SqliteValue[]
}

/** The filters that are not in an index: read of each key in turn until the page is full. */
const FILTERS = `($environment IS NULL OR environment = $environment)
        AND ($scope IS NULL OR EXISTS (SELECT 1 FROM json_each(scopes) WHERE value = $scope))
        AND ($notUsedAfterMs IS NULL OR $notUsedAfterMs >= coalesce(
          (SELECT last_used_at_ms FROM miftah_usage WHERE key_id = id), created_at_ms))`

/** Each part gives its newest keys along its own index; the newest of all of them are read. */
function preparePage(database: SqliteDatabase, parts: readonly Part[]): Page {
  const selects = parts.map(
    ({ from, condition }) => `SELECT * FROM (SELECT position FROM ${from}
        WHERE workspace_id = $workspaceId AND position < $before AND ${FILTERS} AND ${condition}
        ORDER BY position DESC LIMIT $limit)`,
  )
  const sql = `SELECT ${STORED_COLUMNS} FROM ${STORED_KEYS}
      WHERE position IN (${selects.join(' UNION ALL ')})
      ORDER BY position DESC LIMIT $limit`
  const names = Array.from(sql.matchAll(PARAMETER), ([, name = '']) => name)
  return {
    statement: database.prepare(sql.replaceAll(PARAMETER, '?')),
    valuesOf: ({ scope = null, notUsedAfterMs = null, status: _status, ...values }) => {
      const byName: Named = { ...values, scope, notUsedAfterMs }
      return names.map((name) => byName[name] ?? null)
    },
  }
}

/** A value by its name. Drivers bind names in different ways, and `?` in one. */
const PARAMETER = /\$(\w+)/g

type Named = Readonly<Record<string, SqliteValue>>
