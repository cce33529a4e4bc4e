import pg from 'pg'
import postgres from 'postgres'
import { expect, onTestFinished, test } from 'vitest'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import { sampleInsertion, sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import { limited } from '../../support/limited.ts'
import { databaseForFile } from '../../support/postgres/own-database.ts'
import { openPool } from '../../support/postgres-database.ts'
import { rejection } from '../../support/world.ts'

/* What is said of a server that cannot be used: the reason, and nothing of a statement. */

const db = databaseForFile()
const useOf = (pool: pg.Pool) =>
  rejection(Promise.resolve(postgresStorage(pool).findByHash('f'.repeat(64))))

const UNREACHABLE = /cannot be reached: .*(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|timeout)/

test.each([
  ['an unknown host name', { hostname: 'keys.invalid' }, 'unavailable', UNREACHABLE],
  ['a port without a listener', { port: '1' }, 'unavailable', UNREACHABLE],
  ['a database that does not exist', { pathname: '/nowhere' }, 'refused', /: database "nowhere"/],
  [
    'a role that does not exist',
    { username: 'nobody' },
    'refused',
    /: role "nobody" does not exist$/,
  ],
])('%s', async (_, part, code, message) => {
  const connectionString = Object.assign(new URL(db.url), part).href
  const pool = openPool({ connectionString, connectionTimeoutMillis: 2_000 })
  onTestFinished(() => pool.end())
  expect(await useOf(pool)).toMatchObject({ code, message: expect.stringMatching(message) })
})

test('a pool that was closed', async () => {
  const pool = new pg.Pool({ connectionString: db.url })
  await pool.end()
  expect(await useOf(pool)).toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/^PostgreSQL cannot be reached: .*pool/),
  })
})

test('a change on a driver that never says whether it sent it: it was not', async () => {
  const open = (url: string) => {
    const sql = postgres(url, { onnotice: () => {} })
    onTestFinished(() => sql.end({ timeout: 1 }))
    return sql
  }
  let sql = open(db.url)
  const query = async (text: string, values?: string[]) => ({
    rows: await sql.unsafe(text, values),
  })
  const storage = limited(postgresStorage({ query }), 5_000)
  await storage.migrate()
  sql = open('postgres://127.0.0.1:1/postgres')
  expect(await rejection(storage.write([sampleInsertion(sampleRecord())]))).toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/^PostgreSQL cannot be reached: .*ECONNREFUSED/),
  })
})
