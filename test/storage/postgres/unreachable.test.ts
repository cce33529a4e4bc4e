import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import { openPool } from '../../support/postgres-database.ts'
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts'

/* What is said of a server that cannot be used: the reason, and nothing of a statement. */

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.dispose())

/** The server's address with something changed in it. */
function changed(change: (url: URL) => void): pg.Pool {
  const url = new URL(server.url('postgres'))
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

test('a pool that was closed', async () => {
  const pool = new pg.Pool({ connectionString: server.url('postgres') })
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
