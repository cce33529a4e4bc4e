import { beforeAll, describe, test } from 'vitest'
import { mysqlStorage } from '../../../adapters/storage/mysql.ts'
import { storageContract } from '../../../adapters/storage/testing/storage-contract.ts'
import { databaseForFile, emptyTables, hasServer } from '../../support/mysql/server.ts'

const db = databaseForFile()

beforeAll(async () => {
  if (hasServer) await mysqlStorage(db.pool).migrate()
})

const open = async () => {
  await emptyTables(db.pool)
  return mysqlStorage(db.pool)
}

/** Holds up the changes of all workspaces. */
async function hold() {
  const connection = await db.pool.getConnection()
  await connection.query('START TRANSACTION')
  await connection.query('SELECT * FROM miftah_workspaces FOR UPDATE')
  return async () => {
    await connection.query('ROLLBACK')
    connection.release()
  }
}

describe.skipIf(!hasServer)('the storage contract on a mysql2 pool', () => {
  for (const { name, run } of storageContract(open, undefined, hold)) test(name, run)
})
