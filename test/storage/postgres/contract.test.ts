import type pg from 'pg'
import { beforeAll, describe, test } from 'vitest'
import { type PostgresStorage, postgresStorage } from '../../../adapters/storage/postgres.ts'
import { storageContract } from '../../../adapters/storage/testing/storage-contract.ts'
import { caseSchemas } from '../../support/postgres/case-schemas.ts'
import { createHostileSchema, HOSTILE_PATH } from '../../support/postgres/hostile-path.ts'
import { databaseForFile } from '../../support/postgres/own-database.ts'

const db = databaseForFile()
let hostile: pg.Pool

beforeAll(async () => {
  await createHostileSchema(db.pool)
  hostile = db.openPool({ options: HOSTILE_PATH })
})

const schemas = new WeakMap<PostgresStorage, string>()
const nextSchema = caseSchemas(() => db.pool, 'cases')
const open = async () => {
  const schema = await nextSchema()
  const storage = postgresStorage(hostile, { schema })
  schemas.set(storage, schema)
  return storage
}

/** Holds up the changes of a storage. */
async function hold(storage: PostgresStorage) {
  const client = await db.pool.connect()
  await client.query(`BEGIN; LOCK TABLE ${schemas.get(storage)}.workspaces IN EXCLUSIVE MODE`)
  return async () => {
    await client.query('ROLLBACK')
    client.release()
  }
}

describe('the storage contract on a pg Pool, whose search path begins with a hostile schema', () => {
  for (const { name, run } of storageContract(open, undefined, hold)) test(name, run)
})
