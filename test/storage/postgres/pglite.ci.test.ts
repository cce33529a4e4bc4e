import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import { storageContract } from '../../../adapters/storage/testing/storage-contract.ts'
import { caseSchemas } from '../../support/postgres/case-schemas.ts'
import { asked } from '../../support/runs.ts'

let database: PGlite

// One instance for all cases: it is a whole server in this process and heavy to start.
beforeAll(async () => {
  database = await PGlite.create()
})

afterAll(() => database.close())

describe('the storage contract on PGlite', () => {
  const nextSchema = caseSchemas(() => database, 'contract')
  const open = async () => postgresStorage(database, { schema: await nextSchema() })
  for (const { name, run } of asked(storageContract(open))) test(name, run)
})
