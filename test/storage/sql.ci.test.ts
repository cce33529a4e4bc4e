import { DatabaseSync } from '@photostructure/sqlite'
import { test } from 'vitest'
import { bytesFromHash } from '../../adapters/storage/lib/sql/hash-bytes.ts'
import { recordFrom } from '../../adapters/storage/lib/sql/keys.ts'
import type { SqlStatements } from '../../adapters/storage/lib/sql/statements.ts'
import { storageOn } from '../../adapters/storage/lib/sql/storage.ts'
import type { SqlValue, Work } from '../../adapters/storage/lib/sql/work.ts'
import type { SqliteDatabase } from '../../adapters/storage/lib/sqlite/driver.ts'
import { prepareStatements } from '../../adapters/storage/lib/sqlite/statements.ts'
import { storableOnly } from '../../adapters/storage/lib/storable-storage.ts'
import { sqliteSchema } from '../../adapters/storage/sqlite.ts'
import { storageContract } from '../../adapters/storage/testing/storage-contract.ts'

/* SQLite answers at once, so it would not notice work that does not wait for a statement. */

/** A database whose statements answer later, and which refuses one while another is under way. */
function slowly(database: SqliteDatabase): SqliteDatabase {
  let isBusy = false
  const answerLater = async (answer: () => unknown) => {
    if (isBusy) throw new Error('a statement was not waited for')
    isBusy = true
    await Promise.resolve()
    isBusy = false
    return answer()
  }
  const later = (answer: () => unknown) => answerLater(answer) as never
  const prepare: SqliteDatabase['prepare'] = (sql) => {
    const statement = database.prepare(sql)
    return {
      get: (...values: SqlValue[]) => later(() => statement.get(...values)),
      all: (...values: SqlValue[]) => later(() => statement.all(...values)),
      run: (...values: SqlValue[]) => later(() => statement.run(...values)),
    }
  }
  return { exec: (sql) => database.exec(sql), prepare, close: () => database.close() }
}

/** Waits for each statement. */
async function settled<T>(work: Work<T>): Promise<T> {
  let step = work.next()
  while (!step.done) step = work.next(await step.value)
  return step.value
}

/** A storage on one connection with promises, which runs one transaction after another. */
function openSlow() {
  const database: SqliteDatabase = new DatabaseSync(':memory:')
  database.exec(sqliteSchema())
  const sql = prepareStatements(slowly(database))
  let last: Promise<unknown> = Promise.resolve()
  const transaction = <T>(work: (sql: SqlStatements, waitedMs: number) => Work<T>): Promise<T> => {
    const running = last.then(async () => {
      await sql.beginImmediate.run()
      try {
        const outcome = await settled(work(sql, 0))
        await sql.commit.run()
        return outcome
      } catch (error) {
        await sql.rollback.run()
        throw error
      }
    })
    last = running.catch(() => undefined)
    return running
  }
  const runner = { read: transaction, together: transaction, change: transaction }
  const storage = storageOn({ ...runner, nowMs: async () => Date.now() })
  const findByHash = (hash: string) =>
    transaction(function* () {
      const row = yield sql.keyByHash.get(bytesFromHash(hash))
      return row ? recordFrom(row) : null
    })
  return { ...storableOnly({ ...storage, findByHash }), close: () => database.close() }
}

for (const { name, run } of storageContract(openSlow, (storage) => storage.close())) {
  test(`with promises, ${name}`, run)
}
