import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { afterAll, describe, test } from 'vitest'
import {
  type SqliteDatabase,
  type SqliteStorage,
  type SqliteValue,
  sqliteStorage,
} from '../../../adapters/storage/sqlite.ts'
import { storageContract } from '../../../adapters/storage/testing/storage-contract.ts'
import { inMemory } from '../../support/sqlite-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'miftah-sqlite-'))
let files = 0

afterAll(() => rmSync(folder, { recursive: true }))

/**
 * A driver that refuses a call with too few or too many values, as better-sqlite3 and bun:sqlite do;
 * that of the runtime binds NULL instead.
 */
function strictDatabase(): SqliteDatabase {
  const database = inMemory()
  return {
    exec: (sql) => database.exec(sql),
    close: () => database.close(),
    prepare: (sql) => {
      const statement = database.prepare(sql)
      const needed = sql.split('?').length - 1
      const checked = (values: readonly SqliteValue[]) => {
        if (values.length === needed) return values
        throw new RangeError(`${values.length} values for ${needed} parameters: ${sql}`)
      }
      return {
        get: (...values) => statement.get(...checked(values)),
        all: (...values) => statement.all(...checked(values)),
        run: (...values) => statement.run(...checked(values)),
      }
    },
  }
}

describe('on a driver that counts the values of a statement', () => {
  const databases = new Map<SqliteStorage, SqliteDatabase>()
  const open = () => {
    const database = strictDatabase()
    const storage = sqliteStorage(database)
    databases.set(storage, database)
    return storage
  }
  const close = async (storage: SqliteStorage) => {
    await storage.close()
    databases.get(storage)?.close()
    databases.delete(storage)
  }
  for (const { name, run } of storageContract(open, close)) test(name, run)
})

describe('SQLite keeps the storage contract', () => {
  const paths = new WeakMap<SqliteStorage, string>()
  const open = () => {
    const path = join(folder, `${++files}.db`)
    const storage = sqliteStorage(path)
    paths.set(storage, path)
    return storage
  }
  const hold = async (storage: SqliteStorage) => {
    const other = new DatabaseSync(paths.get(storage) ?? '')
    other.exec('BEGIN IMMEDIATE')
    return () => other.close()
  }
  const cases = storageContract(open, (storage) => storage.close(), hold)
  for (const { name, run } of cases) test(name, run)
})
