import { beforeAll, describe, test } from 'vitest'
import { mysqlStorage } from '../../../adapters/storage/mysql.ts'
import { contractOn } from '../../support/mysql/contract.ts'
import { databaseForFile, hasServer } from '../../support/mysql/server.ts'

const db = databaseForFile()

beforeAll(async () => {
  if (hasServer) await mysqlStorage(db.pool).migrate()
})

describe.skipIf(!hasServer)('the storage contract on MySQL', () => {
  for (const { name, run } of contractOn(db, () => ({}))) test(name, run)
})
