import type pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { type PostgresStorage, postgresStorage } from '../../../adapters/storage/postgres.ts'
import { openPool } from '../postgres-database.ts'
import { type SharedPostgres, sharedPostgres } from './shared.ts'

/**
 * Opens storages for the tests of a file, each in a schema of its own that its first use creates. One
 * pool serves them all and is closed after the last test.
 */
export function storagesInSchemas(): () => PostgresStorage {
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
  return () => {
    schemas += 1
    return postgresStorage(pool, { schema: `schema_${schemas}` })
  }
}
