import { type Cells, valuesOf } from '../sql/columns.ts'
import { SQLITE } from '../sqlite/dialect.ts'
import { isOf, openDatabase, type SqliteDatabase } from '../sqlite/driver.ts'
import { rollBack } from '../sqlite/migrations.ts'
import { setUp } from '../sqlite/session.ts'
import { locked, type OnSide, type Side } from './tables.ts'

export function onSqlite(path: string): OnSide {
  return async (role, work) => {
    const database = await openDatabase(path)
    try {
      setUp(database)
      const begin = role === 'source' ? 'BEGIN' : 'BEGIN IMMEDIATE'
      const isLocked = (error: unknown) => isOf('BUSY', error)
      await locked(() => database.exec(begin), isLocked)
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

function sideOf(database: SqliteDatabase): Side {
  return {
    read: async (sql, values = []) => database.prepare(sql).all(...values) as Cells[],
    insert: async ({ name, columns }, rows) => {
      const marks = columns.map(() => '?').join(', ')
      const into = `INSERT INTO miftah_${name} (${columns.join(', ')})`
      const statement = database.prepare(`${into} VALUES (${marks})`)
      for (const row of rows) statement.run(...valuesOf(row, columns))
    },
    at: (table) => `miftah_${table}`,
    hash: 'lower(hex(hash))',
    nowMs: SQLITE.nowMs.text,
    hasLog: false,
  }
}
