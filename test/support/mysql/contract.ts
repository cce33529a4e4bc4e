import type mysql from 'mysql2/promise'
import { mysqlStorage } from '../../../adapters/storage/mysql.ts'
import { storageContract } from '../../../adapters/storage/testing/storage-contract.ts'
import { emptyTables, type TestDatabase } from './server.ts'

/** The cases of the contract on a database with tables, through a pool of its own; `setting` begins each session. */
export function contractOn(db: TestDatabase, options: () => mysql.PoolOptions, setting = 'DO 1') {
  let pool: mysql.Pool | undefined
  const opened = () => {
    if (pool !== undefined) return pool
    pool = db.openPool(options())
    pool.pool.on('connection', (connection) => connection.query(setting))
    return pool
  }
  return storageContract({
    open: async () => {
      await emptyTables(db.pool)
      return mysqlStorage(opened(), { migrate: false })
    },
    other: () => mysqlStorage(db.pool),
    hold: () => holdOn(db.pool),
    byHand: () => byHandOn(db.pool),
  })
}

/** Holds up every write, as a transaction that locks all workspaces does. */
async function holdOn(pool: mysql.Pool) {
  const connection = await pool.getConnection()
  await connection.query('START TRANSACTION')
  await connection.query('SELECT * FROM miftah_workspaces FOR UPDATE')
  return async () => {
    await connection.query('ROLLBACK')
    connection.release()
  }
}

const byHandOn = (pool: mysql.Pool) => ({
  isLogged: false,
  revoke: (id: string, atMs: number) =>
    pool.query('UPDATE miftah_keys SET revoked_at_ms = ? WHERE id = ?', [atMs, id]),
  remove: (id: string) => pool.query('DELETE FROM miftah_keys WHERE id = ?', [id]),
  age: async (byMs: number) => {
    await pool.query('UPDATE miftah_keys SET written_at_ms = written_at_ms - ?', [byMs])
    await pool.query('UPDATE miftah_events SET written_at_ms = written_at_ms - ?', [byMs])
  },
})
