import mysql from 'mysql2/promise'
import { beforeAll, describe, expect, test } from 'vitest'
import { mysqlStorage } from '../../adapters/storage/mysql.ts'
import { miftah } from '../support/command-line.ts'
import { databaseForFile, emptyTables, hasServer, SERVER_URL } from '../support/mysql/server.ts'

const db = databaseForFile()

async function findings(url: string) {
  const { code, out } = await miftah(['doctor', '-d', url, '--json'])
  const { findings: all } = JSON.parse(out)
  const notWell = all.filter(({ state }: { state: string }) => state !== 'well')
  return { code, found: notWell.map((f: Record<string, string>) => `${f['check']}: ${f['text']}`) }
}

describe.skipIf(!hasServer)('on MySQL', () => {
  beforeAll(() => miftah(['migrate', '-d', db.url]))

  test('a key is created, listed and revoked', async () => {
    await emptyTables(db.pool)
    const of = ['-d', db.url.replace('mysql:', 'mariadb:'), '-w', 'ws_1']
    const created = await miftah([
      ...['create', ...of, '-n', 'CRM', '-e', 'live', '-s', 'contacts.read', '--json'],
    ])
    const { key } = JSON.parse(created.out)
    expect((await miftah(['list', ...of])).out).toContain(key.id)
    expect(await miftah(['revoke', key.id, ...of])).toMatchObject({ code: 0 })
    expect((await miftah(['list', ...of, '--json'])).out).toContain('"status": "revoked"')
  })

  test('doctor finds a database in order', async () => {
    await emptyTables(db.pool)
    const { code, out } = await miftah(['doctor', '-d', db.url])
    expect(out).toMatch(/^ok {5}reachable {3}(MariaDB|MySQL) \d+\.\d+\.\d+ answers\.\n/)
    expect(out).toContain('0 events have not been acknowledged by a relay.')
    expect(code).toBe(0)
  })

  test('doctor names missing tables', async () => {
    const root = await mysql.createConnection(SERVER_URL)
    const name = `${db.name}_empty`
    await root.query(`CREATE DATABASE ${name}`)
    const { code, found } = await findings(`${SERVER_URL}/${name}`)
    await root.query(`DROP DATABASE ${name}`)
    await root.end()
    expect(code).toBe(1)
    expect(found[0]).toBe('schema: There are no tables: run `npx miftah migrate`.')
  })

  test('the user that the printed grants are for serves requests, and cannot delete keys', async () => {
    const root = await mysql.createConnection({ uri: db.url, multipleStatements: true })
    const user = `u${Math.random().toString(36).slice(2, 10)}`
    const url = new URL(db.url)
    url.username = user
    await root.query(`CREATE USER '${user}'@'%'`)
    const printed = await miftah(['migrate', '-d', db.url, '--print', '--runtime-role', user])
    const [without = '', first = ''] = printed.out.split(/(?=GRANT)/)
    await root.query(without)
    try {
      await root.query(first)
      expect((await findings(url.href)).found.join()).toContain('SELECT ON miftah_keys')
      await root.query(printed.out)
      expect(await findings(url.href)).toEqual({ code: 0, found: [] })
      const pool = mysql.createPool(url.href)
      const storage = mysqlStorage(pool, { migrate: false })
      expect(await storage.findByHash('0'.repeat(64))).toBeNull()
      await expect(pool.query('DELETE FROM miftah_keys')).rejects.toMatchObject({ errno: 1142 })
      await expect(pool.query('DROP TABLE miftah_nodes')).rejects.toMatchObject({ errno: 1142 })
      await pool.end()
    } finally {
      await root.query(`DROP USER '${user}'@'%'`)
      await root.end()
    }
  })
})

test('a user with quotes in its name is a wrong command line', async () => {
  const { code } = await miftah([
    'migrate',
    '-d',
    'mysql://x/y',
    '--print',
    '--runtime-role',
    "a'b",
  ])
  expect(code).toBe(2)
})

test('--schema is for PostgreSQL', async () => {
  const { code, err } = await miftah(['list', '-w', 'w', '-d', 'mysql://x/y', '--schema', 's'])
  expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('PostgreSQL only') })
})
