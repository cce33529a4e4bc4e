import type pg from 'pg'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import { storageContract } from '../../../adapters/storage/testing/storage-contract.ts'
import { type SharedPostgres, sharedPostgres } from '../../support/postgres/shared.ts'
import { openPool } from '../../support/postgres-database.ts'

let server: SharedPostgres
let pool: pg.Pool
let schemas = 0

beforeAll(async () => {
  server = await sharedPostgres()
  pool = openPool({ connectionString: server.url(await server.createDatabase()) })
})

afterAll(async () => {
  await pool.end()
  await server.dispose()
})

describe('the storage contract on a pg Pool', () => {
  // A schema of its own for each case, made on first use.
  const open = () => {
    schemas += 1
    return postgresStorage(pool, { schema: `contract_${schemas}` })
  }
  for (const { name, run } of storageContract(open)) test(name, run)
})
