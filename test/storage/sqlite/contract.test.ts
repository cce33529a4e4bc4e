import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, test } from 'vitest'
import {
  type SqliteDatabase,
  type SqliteStorage,
  type SqliteValue,
  sqliteStorage,
} from '../../../adapters/storage/sqlite.ts'
import { storageContract } from '../../../adapters/storage/testing/storage-contract.ts'
import { freshPath, inMemory, prepared } from '../../support/sqlite-files.ts'

/**
 * A driver that refuses a call with too few or too many values, as better-sqlite3 and bun:sqlite do;
 * that of the runtime binds NULL instead.
 */
function strictDatabase(): SqliteDatabase {
  return prepared(inMemory(), (sql, statement) => {
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
  })
}

describe('on a driver that counts the values of a statement', () => {
  for (const { name, run } of storageContract(() => sqliteStorage(strictDatabase())))
    test(name, run)
})

describe('SQLite keeps the storage contract in a file that two storages use', () => {
  const opened = new WeakMap<SqliteStorage, { path: string; other: SqliteStorage }>()
  const of = (storage: SqliteStorage) => opened.get(storage) ?? expect.fail('it is not open')
  const open = () => {
    const path = freshPath()
    const storage = sqliteStorage(path)
    opened.set(storage, { path, other: sqliteStorage(path) })
    return storage
  }
  const close = async (storage: SqliteStorage) => {
    await of(storage).other.close()
    await storage.close()
  }
  const hold = async (storage: SqliteStorage) => {
    const other = new DatabaseSync(of(storage).path)
    other.exec('BEGIN IMMEDIATE')
    return () => other.close()
  }
  const byHand = (storage: SqliteStorage) => {
    const run = async (sql: string) => {
      const database = new DatabaseSync(of(storage).path)
      database.exec(sql)
      database.close()
    }
    return {
      revoke: (id: string, atMs: number) =>
        run(`UPDATE miftah_keys SET revoked_at_ms = ${atMs} WHERE id = '${id}'`),
      narrow: (id: string) => run(`UPDATE miftah_keys SET scopes = '[]' WHERE id = '${id}'`),
      remove: (id: string) => run(`DELETE FROM miftah_keys WHERE id = '${id}'`),
      age: (byMs: number) =>
        run(`DROP TRIGGER IF EXISTS miftah_events_stay; DROP TRIGGER IF EXISTS miftah_keys_move_their_edition;
          UPDATE miftah_keys SET written_at_ms = written_at_ms - ${byMs};
          UPDATE miftah_events SET written_at_ms = written_at_ms - ${byMs}`),
    }
  }
  const other = (storage: SqliteStorage) => of(storage).other
  for (const { name, run } of storageContract({ open, close, hold, other, byHand })) test(name, run)
})
