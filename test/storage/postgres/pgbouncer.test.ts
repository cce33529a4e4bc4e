import type pg from 'pg'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { hasPgbouncer, type Pgbouncer, startPgbouncer } from '../../support/pgbouncer.ts'
import { contractOn } from '../../support/postgres/contract.ts'
import { openPool } from '../../support/postgres-database.ts'
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts'

// Where there is none, a pool with a connection for each statement stands in: see the drivers.
describe.skipIf(!hasPgbouncer)('the storage contract behind PgBouncer', () => {
  let server: PostgresServer
  let bouncer: Pgbouncer
  let admin: pg.Pool
  let pool: pg.Pool

  beforeAll(async () => {
    server = await startPostgres()
    const database = await server.createDatabase()
    bouncer = await startPgbouncer(server)
    admin = openPool({ connectionString: server.url(database) })
    pool = openPool({ connectionString: bouncer.url(database), max: 10 })
  })

  afterAll(async () => {
    await Promise.all([pool.end(), admin.end()])
    await bouncer.close()
    await server.dispose()
  })

  const cases = contractOn('contract', { admin: () => admin, pool: () => pool })
  for (const { name, run } of cases) test(name, run)
})
