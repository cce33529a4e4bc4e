import { afterAll, beforeAll, expect, test } from 'vitest'
import { miftah } from '../support/command-line.ts'
import { sharedPostgres } from '../support/postgres/shared.ts'
import { type TestDatabase, testDatabase } from '../support/postgres-database.ts'

let database: TestDatabase
let url: string
beforeAll(async () => {
  const server = await sharedPostgres()
  database = await testDatabase(server)
  url = server.url(database.name)
})
afterAll(() => database.close())

test('migrate --print prints SQL that makes a database ready, and touches nothing itself', async () => {
  const printed = await miftah(['migrate', '--print', '-d', 'postgres://127.0.0.1:1/none'])
  expect(printed.code).toBe(0)
  await database.pool().query(printed.out)
  const { code, out } = await miftah(['list', '-d', url, '-w', 'ws_1', '--json'])
  expect({ code, out }).toEqual({ code: 0, out: '[]\n' })
})

test('a life in a schema of its own', async () => {
  const on = ['-d', url, '--schema', 'apart', '--table-prefix', 'k_']
  expect((await miftah(['migrate', ...on])).code).toBe(0)
  const words = ['create', ...on, '-w', 'ws_1', '-n', 'x', '-e', 'test', '-s', 'contacts.read']
  const { key, secret } = JSON.parse((await miftah([...words, '--json'])).out)
  expect((await miftah(['find', ...on], secret)).out).toContain(key.id)
  expect((await miftah(['revoke', key.id, ...on, '-w', 'ws_1'])).code).toBe(0)
  const { rows } = await database.pool().query('SELECT count(*)::int FROM apart.k_keys')
  expect(rows).toEqual([{ count: 1 }])
})

test('a database that does not exist is named', async () => {
  const none = url.replace(database.name, 'none_such')
  const { code, err } = await miftah(['list', '-d', none, '-w', 'ws_1'])
  expect(code).toBe(1)
  expect(err).toContain('the database does not exist (database "none_such" does not exist)')
})
