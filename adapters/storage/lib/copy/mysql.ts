import { deadlineOf } from '../deadline.ts'
import { type MysqlPool, type OnConnection, onConnection, rowsIn } from '../mysql/driver.ts'
import { literal, Query } from '../mysql/query.ts'
import { bytesFromHash } from '../sql/hash-bytes.ts'
import { pagesByOrder } from './pages.ts'
import type { Cells, Names, Tables } from './tables.ts'

const NAMES: Names = {
  at: (table) => `miftah_${table}`,
  workspaces: 'miftah_workspaces',
  ofWorkspace: { changes: 0 },
  ...{ place: 'position', usageId: 'key_id', noticeId: null },
  ...{ history: ['key_position', 'place'], outbox: null },
  hex: (column) => `LOWER(HEX(${column}))`,
  json: (column) => column,
}

/** The tables in a database of MySQL or MariaDB, which has no triggers. */
export function mysqlTables(pool: MysqlPool): Tables {
  const rows: Tables['rows'] = (sql, values) =>
    onCopy(pool, async (connection) =>
      rowsIn(await connection.run(new Query(sql, values, 'all').sql)),
    )
  return {
    ...{ names: NAMES, rows, pages: pagesByOrder(rows), finish },
    change: (work) =>
      onCopy(pool, async (connection) => {
        const ask = (sql: string) => connection.run(sql)
        await ask('START TRANSACTION')
        await work({
          run: (sql, values = []) => ask(new Query(sql, values, 'run').sql),
          insert: (table, cells) => ask(insertOf(table, cells)),
        })
        // A cache that follows the target drops what it knows: it is too far behind.
        await ask('UPDATE miftah_change_clock SET head = head + 1001 WHERE is_used = 1')
        await ask('COMMIT')
      }),
  }
}

/** A copy takes as long as it takes. */
function onCopy<T>(pool: MysqlPool, work: OnConnection<T>): Promise<T> {
  return onConnection(pool, deadlineOf(undefined), work)
}

function insertOf(table: string, rows: readonly Cells[]): string {
  const names = Object.keys(rows[0] ?? {})
  const tuples = rows.map((row) => {
    const cells = names.map((name) =>
      literal(name === 'hash' ? bytesFromHash(String(row[name])) : (row[name] ?? null)),
    )
    return `(${cells.join(', ')})`
  })
  return `INSERT INTO ${table} (${names.join(', ')}) VALUES ${tuples.join(', ')}`
}

function finish(place: number): readonly string[] {
  return ['keys', 'events'].map((table) => `ALTER TABLE miftah_${table} AUTO_INCREMENT = ${place}`)
}
