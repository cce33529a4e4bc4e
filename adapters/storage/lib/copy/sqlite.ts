import { rowFrom, textIn } from '../row.ts'
import { bytesFromHash } from '../sql/hash-bytes.ts'
import type { SqlValue } from '../sql/work.ts'
import { openDatabase, type SqliteDatabase } from '../sqlite/driver.ts'
import { pagesByOrder } from './pages.ts'
import type { Cells, Names, Tables } from './tables.ts'

const NAMES: Names = {
  at: (table) => `miftah_${table}`,
  // A workspace has a row of its own only from its first key without an end.
  workspaces: `(SELECT workspace_id, is_erased, expired_to_ms FROM miftah_workspaces
    UNION ALL SELECT DISTINCT workspace_id, 0, NULL FROM miftah_keys AS k WHERE NOT EXISTS (
      SELECT 1 FROM miftah_workspaces AS o WHERE o.workspace_id = k.workspace_id))`,
  ofWorkspace: { keys_without_end: 0 },
  ...{ place: 'position', usageId: 'key_id', noticeId: 'key_id' },
  ...{ history: ['key', 'place'], outbox: ['position', 'place'] },
  hex: (column) => `lower(hex(${column}))`,
  json: (column) => column,
}

/** The tables in a SQLite file, on a connection that ends with the process. */
export async function sqliteTables(file: string): Promise<Tables> {
  const database = await openDatabase(file)
  database.exec('PRAGMA busy_timeout = 10000')
  const all = (sql: string, values: readonly SqlValue[]) =>
    database
      .prepare(sql)
      .all(...values)
      .map(rowFrom)
  const rows: Tables['rows'] = async (sql, values) => all(sql, values)
  return {
    ...{ names: NAMES, rows, pages: pagesByOrder(rows), finish },
    change: async (work) => {
      database.exec('BEGIN IMMEDIATE')
      try {
        const triggers = all(TRIGGERS, [])
        for (const row of triggers) database.exec(`DROP TRIGGER ${textIn(row, 'name')}`)
        await work({
          run: async (sql, values = []) => database.prepare(sql).run(...values),
          insert: async (table, cells) => insert(database, table, cells),
        })
        for (const row of triggers) database.exec(textIn(row, 'sql'))
        database.exec('COMMIT')
      } catch (error) {
        database.exec('ROLLBACK')
        throw error
      }
    },
  }
}

/** SQLite cannot turn triggers off, but makes and drops them in a transaction. */
const TRIGGERS = `SELECT name, sql FROM sqlite_schema
  WHERE type = 'trigger' AND tbl_name LIKE 'miftah\\_%' ESCAPE '\\'`

function insert(database: SqliteDatabase, table: string, rows: readonly Cells[]): void {
  const names = Object.keys(rows[0] ?? {})
  const marks = names.map(() => '?').join(', ')
  const statement = database.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks})`)
  for (const row of rows) {
    statement.run(
      ...names.map((name) =>
        name === 'hash' ? bytesFromHash(String(row[name])) : (row[name] ?? null),
      ),
    )
  }
}

function finish(place: number): readonly string[] {
  return [
    `UPDATE sqlite_sequence SET seq = max(seq, ${place}) WHERE name IN ('miftah_keys', 'miftah_events')`,
    `UPDATE miftah_workspaces SET keys_without_end = (SELECT count(*) FROM miftah_keys AS k
      WHERE k.workspace_id = miftah_workspaces.workspace_id AND revoked_at_ms IS NULL
        AND retires_at_ms IS NULL AND expires_at_ms IS NULL)`,
  ]
}
