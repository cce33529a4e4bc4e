import { type MysqlPool, rowsIn } from '../mysql/driver.ts'
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
    onConnection(pool, async (ask) => rowsIn(await ask(new Query(sql, values, 'all').sql)))
  return {
    ...{ names: NAMES, rows, pages: pagesByOrder(rows), finish },
    change: (work) =>
      onConnection(pool, async (ask) => {
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

async function onConnection<T>(
  pool: MysqlPool,
  work: (ask: (sql: string) => Promise<unknown>) => Promise<T>,
): Promise<T> {
  const connection = await pool.getConnection()
  const options = { rowsAsArray: false, nestTables: false, typeCast: true }
  try {
    const result = await work(async (sql) => (await connection.query({ sql, ...options }))[0])
    connection.release()
    return result
  } catch (error) {
    connection.destroy()
    throw error
  }
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
