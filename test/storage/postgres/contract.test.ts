import type pg from 'pg'
import { beforeAll, describe, test } from 'vitest'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
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

const nextSchema = caseSchemas(() => db.pool, 'cases')
const open = async () => postgresStorage(hostile, { schema: await nextSchema() })

describe('the storage contract on a pg Pool, whose search path begins with a hostile schema', () => {
  for (const { name, run } of storageContract(open)) test(name, run)
})
