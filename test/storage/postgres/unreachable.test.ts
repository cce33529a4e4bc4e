import pg from 'pg'
import postgres from 'postgres'
import { expect, onTestFinished, test } from 'vitest'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import { sampleInsertion, sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import { databaseForFile } from '../../support/postgres/own-database.ts'
import { openPool } from '../../support/postgres-database.ts'

/* What is said of a server that cannot be used: the reason, and nothing of a statement. */

const db = databaseForFile()

/** The server's address with something changed in it. */
function changed(change: (url: URL) => void): pg.Pool {
  const url = new URL(db.url)
  change(url)
  const pool = openPool({ connectionString: url.href, connectionTimeoutMillis: 2_000 })
  onTestFinished(() => pool.end())
  return pool
}

const useOf = (pool: pg.Pool) => postgresStorage(pool).findByHash('f'.repeat(64))

test('an unknown host name', async () => {
  const pool = changed((url) => {
    url.hostname = 'keys.invalid'
  })
  await expect(useOf(pool)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(
      /^PostgreSQL cannot be reached: .*(ENOTFOUND|EAI_AGAIN|timeout)/,
    ),
  })
})

test('a port without a listener', async () => {
  const pool = changed((url) => {
    url.port = '1'
  })
  await expect(useOf(pool)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/^PostgreSQL cannot be reached: .*ECONNREFUSED/),
  })
})

test('a change on a driver that never says whether it sent it: it was not', async () => {
  const open = (url: string) => {
    const sql = postgres(url, { onnotice: () => {} })
    onTestFinished(() => sql.end({ timeout: 1 }))
    return sql
  }
  let sql = open(db.url)
  const storage = postgresStorage({
    query: async (text, values) => ({ rows: await sql.unsafe(text, values) }),
  })
  await storage.migrate()
  sql = open('postgres://127.0.0.1:1/postgres')
  const call = { timeoutMs: 5_000, signal: AbortSignal.timeout(5_000) }
  await expect(storage.write([sampleInsertion(sampleRecord())], call)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/^PostgreSQL cannot be reached: .*ECONNREFUSED/),
  })
})

test('a pool that was closed', async () => {
  const pool = new pg.Pool({ connectionString: db.url })
  await pool.end()
  await expect(useOf(pool)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/^PostgreSQL cannot be reached: .*pool/),
  })
})

test.each([
  ['database', { pathname: '/nowhere' }],
  ['role', { username: 'nobody_here' }],
])('a %s that does not exist', async (what, part) => {
  await expect(useOf(changed((url) => Object.assign(url, part)))).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringMatching(
      new RegExp(`^PostgreSQL refused the connection: ${what} ".*" does not exist$`),
    ),
  })
})
