import type { SqliteDatabase } from './driver.ts'

const SUM = `min(sum(count), ${Number.MAX_SAFE_INTEGER})`
const ADD = `DO UPDATE SET count = min(count + excluded.count, ${Number.MAX_SAFE_INTEGER})`

/** The statements of the history of usage. */
export function prepareHistory(database: SqliteDatabase) {
  const prepare = (sql: string) => database.prepare(sql)
  return {
    addHour: prepare(`INSERT INTO miftah_usage_hours (hour, key, outcome, count)
      SELECT ?, position, ?, ? FROM miftah_keys WHERE id = ?
      ON CONFLICT (hour, key, outcome) ${ADD}`),
    addDay: prepare(`INSERT INTO miftah_usage_days (day, key, outcome, count)
      SELECT ?, position, ?, ? FROM miftah_keys WHERE id = ?
      ON CONFLICT (day, key, outcome) ${ADD}`),
    forgetHours: prepare(forget('hour')),
    forgetDays: prepare(forget('day')),
    ...reads(prepare, 'hour', 'hour >= first_hour'),
    ...reads(prepare, 'day', 'day < first_hour / 24'),
  }
}

type Period = 'hour' | 'day'

const tableOf = (period: Period) => `miftah_usage_${period}s`

function forget(period: Period): string {
  const columns = `${period}, key, outcome`
  return `DELETE FROM ${tableOf(period)} WHERE (${columns}) IN (SELECT ${columns}
        FROM ${tableOf(period)} WHERE ${period} < ? ORDER BY ${columns} LIMIT ?)`
}

function reads<P extends Period>(prepare: SqliteDatabase['prepare'], period: P, condition: string) {
  // A CROSS JOIN keeps the order of the tables: from the keys, along the index of each.
  const read = (whose: string) =>
    prepare(`SELECT ${period} AS at, outcome, ${SUM} AS count
      FROM miftah_usage_retention CROSS JOIN miftah_keys AS k
      CROSS JOIN ${tableOf(period)} AS h ON h.key = k.position
      WHERE one = 1 AND k.${whose} = ? AND ${period} >= ? AND ${period} < ? AND ${condition}
      GROUP BY ${period}, outcome`)
  return {
    [`${period}sOfKey`]: read('id'),
    [`${period}sOfWorkspace`]: read('workspace_id'),
  } as Record<`${P}sOfKey` | `${P}sOfWorkspace`, ReturnType<typeof prepare>>
}
