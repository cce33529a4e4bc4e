import type pg from 'pg'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import { storageContract } from '../../../adapters/storage/testing/storage-contract.ts'
import { hasPgbouncer, type Pgbouncer, startPgbouncer } from '../../support/pgbouncer.ts'
import { openPool } from '../../support/postgres-database.ts'
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts'

// Where there is none, a pool with a connection for each statement stands in: see the drivers.
describe.skipIf(!hasPgbouncer)('the storage contract behind PgBouncer', () => {
  let server: PostgresServer
  let bouncer: Pgbouncer
  let pool: pg.Pool
  let schemas = 0

  beforeAll(async () => {
    server = await startPostgres()
    const database = await server.createDatabase()
    bouncer = await startPgbouncer(server)
    pool = openPool({ connectionString: bouncer.url(database), max: 10 })
  })

  afterAll(async () => {
    await pool.end()
    await bouncer.close()
    await server.dispose()
  })

  const open = () => {
    schemas += 1
    return postgresStorage(pool, { schema: `contract_${schemas}` })
  }
  for (const { name, run } of storageContract(open)) test(name, run)
})
