import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasPgbouncer, type Pgbouncer, startPgbouncer } from '../../support/pgbouncer.ts'
import { contractAt, contractOn } from '../../support/postgres/contract.ts'
import { databaseForFile } from '../../support/postgres/own-database.ts'
import { MAY_NOT_DELETE, rolesForFile } from '../../support/postgres/roles.ts'
import { openPool } from '../../support/postgres-database.ts'
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts'

const db = databaseForFile()
const poolOf = rolesForFile(db, 'serves', 'erases')
const admin = () => db.pool

describe.each(['repeatable read', 'serializable'])('the storage contract at %s', (level) => {
  for (const { name, run } of contractAt(level, db)) test(name, run)
})

describe('a role that serves requests keeps the contract but for what deletes', () => {
  const unlessItDeletes = (error: { readonly code: unknown; readonly message: string }) => {
    expect(error).toMatchObject({ code: 'refused', message: expect.stringMatching(MAY_NOT_DELETE) })
  }
  const pool = () => poolOf('runtimeRole')
  for (const { name, run } of contractOn('serves', { admin, pool, migrate: false }))
    test(name, () => run().catch(unlessItDeletes))
})

describe('a role that erases keeps all of it', () => {
  const pool = () => poolOf('erasureRole')
  const cases = contractOn('erases', { admin, pool, migrate: false })
  for (const { name, run } of cases) test(name, run)
})

// Where there is none, a pool with a connection for each statement stands in: see the drivers.
describe.skipIf(!hasPgbouncer)('the storage contract behind PgBouncer', () => {
  let server: PostgresServer
  let bouncer: Pgbouncer
  let direct: pg.Pool
  let pool: pg.Pool

  beforeAll(async () => {
    server = await startPostgres()
    const database = await server.createDatabase()
    bouncer = await startPgbouncer(server)
    direct = openPool({ connectionString: server.url(database) })
    pool = openPool({ connectionString: bouncer.url(database), max: 10 })
  })

  afterAll(async () => {
    await Promise.all([pool.end(), direct.end()])
    await bouncer.close()
    await server.dispose()
  })

  const cases = contractOn('contract', { admin: () => direct, pool: () => pool })
  for (const { name, run } of cases) test(name, run)
})
