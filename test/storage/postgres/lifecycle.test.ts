import type pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import { lifecycleTests } from '../../support/lifecycle/suite.ts'
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

lifecycleTests(() => postgresStorage(pool, { schema: `lifecycle_${++schemas}` }))
