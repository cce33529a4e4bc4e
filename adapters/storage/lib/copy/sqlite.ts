import { rowFrom } from '../sql/cells.ts'
import { bytesFromHash } from '../sql/hash-bytes.ts'
import { SQLITE } from '../sqlite/dialect.ts'
import { isBusy, openDatabase, type SqliteDatabase } from '../sqlite/driver.ts'
import { rollBack } from '../sqlite/migrations.ts'
import { setUp } from '../sqlite/session.ts'
import { type OnSide, rowsBeyond, type Side, targetInUse } from './tables.ts'

export function onSqlite(path: string): OnSide {
  return async (role, work) => {
    const database = await openDatabase(path)
    try {
      setUp(database)
      begin(database, role)
      const answer = await work(sideOf(database))
      database.exec('COMMIT')
      return answer
    } catch (error) {
      rollBack(database)
      throw error
    } finally {
      database.close()
    }
  }
}

function begin(database: SqliteDatabase, role: 'source' | 'target'): void {
  try {
    database.exec(role === 'source' ? 'BEGIN' : 'BEGIN IMMEDIATE')
  } catch (error) {
    throw isBusy(error) ? targetInUse() : error
  }
}

function sideOf(database: SqliteDatabase): Side {
  return {
    run: async (sql, values = []) =>
      database
        .prepare(sql)
        .all(...values)
        .map(rowFrom),
    insert: async (table, rows) => {
      const names = Object.keys(table.columns)
      const marks = names.map(() => '?').join(', ')
      const statement = database.prepare(
        `INSERT INTO miftah_${table.name} (${names.join(', ')}) VALUES (${marks})`,
      )
      for (const row of rows) {
        const cells = names.map((name) =>
          name === 'hash' ? bytesFromHash(String(row[name])) : (row[name] ?? null),
        )
        statement.run(...cells)
      }
    },
    at: (table) => `miftah_${table}`,
    read: (column, kind) => (kind === 'hash' ? `lower(hex(${column}))` : column),
    beyond: rowsBeyond,
    nowMs: SQLITE.nowMs.text,
    hasLog: false,
  }
}
