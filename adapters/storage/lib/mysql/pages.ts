import { COUNTS_WITHOUT_END, countsUntilExpiry, OF_STATUS } from '../key-conditions.ts'
import { STORED_COLUMNS, STORED_KEYS } from '../sql/common-statements.ts'
import type { Pages, PageValues } from '../sql/statements.ts'
import type { SqlValue } from '../sql/work.ts'
import { AS_TEXT, listOf, Query } from './query.ts'

/** How many keys of a workspace are active or paused at an instant, along their index. */
export const ACTIVE_KEYS = `SELECT
  (SELECT COUNT(*) FROM miftah_keys WHERE workspace_id = ? AND ${COUNTS_WITHOUT_END})
  + (SELECT COUNT(*) FROM miftah_keys WHERE workspace_id = ? AND ${countsUntilExpiry('?')})
  AS active_keys`

/** Part of a condition, with the values of its parameters. */
interface Condition {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

export const pages: Pages = {
  read: (values) => {
    const [beyond, order] = values.oldestFirst ? ['>', 'ASC'] : ['<', 'DESC']
    const first = values.oldestFirst ? 0 : Number.MAX_SAFE_INTEGER
    const { sql, values: bound } = conditionOf(values)
    return new Query(
      `SELECT ${STORED_COLUMNS} FROM ${STORED_KEYS}
      WHERE ${sql} AND position ${beyond} ? ORDER BY position ${order} LIMIT ?`,
      [...bound, values.beyond ?? first, values.limit],
      'all',
    )
  },
  count: (values) => {
    const { sql, values: bound } = conditionOf(values)
    return new Query(`SELECT COUNT(*) AS total FROM miftah_keys WHERE ${sql}`, bound, 'get')
  },
}

function conditionOf(values: PageValues): Condition {
  const conditions = [
    { sql: 'workspace_id = ?', values: [values.workspaceId] },
    ...[ofStatus(values), ofEnvironment(values), ofScope(values), ofCreator(values)],
    ...[ofIds(values), ofLastUse(values), ofResource(values)],
  ]
  return {
    sql: conditions.flatMap((one) => (one ? [one.sql] : [])).join(' AND '),
    values: conditions.flatMap((one) => one?.values ?? []),
  }
}

function ofStatus({ status, atMs }: PageValues): Condition | null {
  if (status === null) return null
  const parts = status.flatMap((one) => OF_STATUS[one].map(({ sql }) => `(${sql('?')})`))
  const sql = `(${parts.join(' OR ')})`
  return {
    sql,
    values: sql
      .split('?')
      .slice(1)
      .map(() => atMs),
  }
}

function ofEnvironment({ environment }: PageValues): Condition | null {
  return environment && { sql: 'environment = ?', values: [environment] }
}

function ofScope({ scope }: PageValues): Condition | null {
  if (scope === undefined) return null
  return { sql: `JSON_CONTAINS(scopes, ${AS_TEXT})`, values: [JSON.stringify(scope)] }
}

function ofCreator({ creatorId }: PageValues): Condition | null {
  return creatorId === undefined ? null : { sql: 'creator_id = ?', values: [creatorId] }
}

function ofIds({ ids }: PageValues): Condition | null {
  if (ids === undefined) return null
  return ids.length === 0
    ? { sql: 'FALSE', values: [] }
    : { sql: `id IN ${listOf(ids)}`, values: ids }
}

function ofLastUse({ notUsedAfterMs }: PageValues): Condition | null {
  if (notUsedAfterMs === undefined) return null
  const lastUse = '(SELECT last_used_at_ms FROM miftah_usage AS u WHERE u.key_id = id)'
  return { sql: `COALESCE(${lastUse}, created_at_ms) <= ?`, values: [notUsedAfterMs] }
}

function ofResource({ resource }: PageValues): Condition | null {
  if (resource === undefined) return null
  const { type, id, match } = resource
  const path = `$.${JSON.stringify(type)}`
  const ids = `JSON_EXTRACT(resources, ${AS_TEXT})`
  const listed = `COALESCE(JSON_CONTAINS(${ids}, ${AS_TEXT}), ${match === 'only' ? 0 : 1})`
  const values = [path, JSON.stringify(id)]
  if (match === 'reaches') return { sql: listed, values }
  return { sql: `(${listed} AND JSON_LENGTH(${ids}) = 1)`, values: [...values, path] }
}
