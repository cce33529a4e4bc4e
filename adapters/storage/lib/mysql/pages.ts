import type { ResourceFilter } from '../../../../src/storage/index.ts'
import { COUNTS_WITHOUT_END, countsUntilExpiry, OF_STATUS } from '../key-conditions.ts'
import { STORED_COLUMNS, STORED_KEYS } from '../sql/common-statements.ts'
import { listOf } from '../sql/in-lists.ts'
import type { Pages, PageValues } from '../sql/statements.ts'
import type { SqlValue } from '../sql/work.ts'
import { AS_TEXT, Query } from './query.ts'

/** How many keys of a workspace are active or paused at an instant, along their index. */
export const ACTIVE_KEYS = `SELECT
  (SELECT COUNT(*) FROM miftah_keys WHERE workspace_id = ? AND ${COUNTS_WITHOUT_END})
  + (SELECT COUNT(*) FROM miftah_keys WHERE workspace_id = ? AND ${countsUntilExpiry('?')})
  AS active_keys`

/** Part of a condition, and the values of its parameters. */
type Condition = readonly [sql: string, ...values: readonly SqlValue[]]

export const pages: Pages = {
  read: (values) => {
    const [beyond, order] = values.oldestFirst ? ['>', 'ASC'] : ['<', 'DESC']
    const first = values.oldestFirst ? 0 : Number.MAX_SAFE_INTEGER
    const { sql, bound } = conditionOf(values)
    return new Query(
      `SELECT ${STORED_COLUMNS} FROM ${STORED_KEYS}
      WHERE ${sql} AND position ${beyond} ? ORDER BY position ${order} LIMIT ?`,
      [...bound, values.beyond ?? first, values.limit],
      'all',
    )
  },
  count: (values) => {
    const { sql, bound } = conditionOf(values)
    return new Query(`SELECT COUNT(*) AS total FROM miftah_keys WHERE ${sql}`, bound, 'get')
  },
}

function conditionOf(values: PageValues) {
  const conditions = conditionsOf(values)
  const sql = conditions.map(([text]) => text).join(' AND ')
  return { sql, bound: conditions.flatMap(([, ...own]) => own) }
}

function conditionsOf(values: PageValues): readonly Condition[] {
  const { status, environment, scope, creatorId, ids, notUsedAfterMs, resource, atMs } = values
  const all: Condition[] = [['workspace_id = ?', values.workspaceId]]
  if (status !== null) all.push(ofStatus(status, atMs))
  if (environment !== null) all.push(['environment = ?', environment])
  if (scope !== undefined) all.push([`JSON_CONTAINS(scopes, ${AS_TEXT})`, JSON.stringify(scope)])
  if (creatorId !== undefined) all.push(['creator_id = ?', creatorId])
  if (ids !== undefined) all.push(ids.length === 0 ? ['FALSE'] : [`id IN ${listOf(ids)}`, ...ids])
  if (notUsedAfterMs !== undefined) {
    const lastUse = '(SELECT last_used_at_ms FROM miftah_usage AS u WHERE u.key_id = id)'
    all.push([`COALESCE(${lastUse}, created_at_ms) <= ?`, notUsedAfterMs])
  }
  if (resource !== undefined) all.push(ofResource(resource))
  return all
}

function ofStatus(status: NonNullable<PageValues['status']>, atMs: number): Condition {
  const any = status.flatMap((one) => OF_STATUS[one].map(({ sql }) => `(${sql('?')})`)).join(' OR ')
  const values = Array.from(any.matchAll(/\?/g), () => atMs)
  return [`(${any})`, ...values]
}

function ofResource({ type, id, match }: ResourceFilter): Condition {
  const path = `$.${JSON.stringify(type)}`
  const ids = `JSON_EXTRACT(resources, ${AS_TEXT})`
  const listed = `COALESCE(JSON_CONTAINS(${ids}, ${AS_TEXT}), ${match === 'only' ? 0 : 1})`
  const values = [path, JSON.stringify(id)]
  if (match === 'reaches') return [listed, ...values]
  return [`(${listed} AND JSON_LENGTH(${ids}) = 1)`, ...values, path]
}
