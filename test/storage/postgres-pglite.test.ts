import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { postgresStorage } from '../../adapters/storage/postgres.ts'
import { storageContract } from '../../adapters/storage/testing/storage-contract.ts'

let database: PGlite
let schemas = 0

// One instance for all cases: it is a whole server in this process and heavy to start.
beforeAll(async () => {
  database = await PGlite.create()
})

afterAll(() => database.close())

describe('the storage contract on PGlite', () => {
  const open = () => {
    schemas += 1
    return postgresStorage(database, { schema: `contract_${schemas}`, timeoutMs: 60_000 })
  }
  for (const { name, run } of storageContract(open)) test(name, run)
})
