import { deadlineOf } from '../deadline.ts'
import { insertOf, NOW_MS } from '../mysql/dialect.ts'
import {
  decoded,
  literalSql,
  type MysqlPool,
  onConnection,
  type Run,
  rowsIn,
} from '../mysql/driver.ts'
import { errnoOf } from '../mysql/errors.ts'
import { serverOf } from '../mysql/server.ts'
import { type Cells, valuesOf } from '../sql/columns.ts'
import { raw, Sql, type SqlValue, sql } from '../sql/sql.ts'
import { locked, type OnSide, type Side } from './tables.ts'

/** A lock that is held: of MariaDB and of MySQL. */
const LOCKED: readonly (number | null)[] = [1205, 3572]

export function onMysql(pool: MysqlPool): OnSide {
  return (role, work) =>
    onConnection(pool, deadlineOf(undefined), async (run) => {
      const { causal } = await serverOf(run)
      // A server of a cluster shows every commit of the others from here on.
      if (causal !== '') await run(`${causal}SELECT 1 AS one`)
      await run('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ')
      await run('START TRANSACTION')
      // The snapshot is that of the first read without a lock.
      const lock = () => run('SELECT one FROM miftah_relay WHERE one = 1 FOR UPDATE NOWAIT')
      if (role === 'target') await locked(lock, (error) => LOCKED.includes(errnoOf(error)))
      const answer = await work(sideOf(run))
      await run('COMMIT')
      return answer
    })
}

function sideOf(run: Run): Side {
  return {
    read: async (text, values = []) =>
      rowsIn(await run(literalSql(new Sql(text, values)))).map(decoded) as Cells[],
    insert: ({ name, columns }, rows) => {
      const values = rows.map((row) => valuesOf(row, columns))
      return run(literalSql(insertOf(name, columns, values)))
    },
    at: (table) => `miftah_${table}`,
    hash: 'LOWER(HEX(hash))',
    beyond,
    nowMs: NOW_MS.text,
    hasLog: true,
  }
}

/** A comparison of rows would not go along an index. */
function beyond(columns: readonly string[], values: readonly SqlValue[]): Sql {
  const [column, value] = [raw(columns[0] ?? ''), values[0] ?? null]
  if (columns.length === 1) return sql`${column} > ${value}`
  const rest = beyond(columns.slice(1), values.slice(1))
  return sql`(${column} > ${value} OR (${column} = ${value} AND ${rest}))`
}
