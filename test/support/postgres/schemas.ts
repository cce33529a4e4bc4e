import type pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { type PostgresStorage, postgresStorage } from '../../../adapters/storage/postgres.ts'
import { openPool } from '../postgres-database.ts'
import { caseSchemas } from './case-schemas.ts'
import { type SharedPostgres, sharedPostgres } from './shared.ts'

/** Opens an empty storage for each case of a file. One pool serves them all. */
export function storagesInSchemas(): () => Promise<PostgresStorage> {
  let server: SharedPostgres
  let pool: pg.Pool
  const nextSchema = caseSchemas(() => pool, 'cases')
  beforeAll(async () => {
    server = await sharedPostgres()
    pool = openPool({ connectionString: server.url(await server.createDatabase()) })
  })
  afterAll(async () => {
    await pool.end()
    await server.dispose()
  })
  return async () => postgresStorage(pool, { schema: await nextSchema() })
}
