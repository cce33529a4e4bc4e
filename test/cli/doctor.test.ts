import { writeFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { findingsOf } from '../../adapters/cli/commands/doctor.ts'
import { postgresSchema } from '../../adapters/storage/postgres.ts'
import type { StorageDiagnosis } from '../../src/storage/index.ts'
import { miftah } from '../support/command-line.ts'
import { hasServer, databaseForFile as mysqlForFile } from '../support/mysql/server.ts'
import { testDatabase } from '../support/postgres-database.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { freshPath, migratedPath, rawAt } from '../support/sqlite-files.ts'
import { expectRefused, NEW } from './world.ts'

const WELL: StorageDiagnosis = {
  system: 'PostgreSQL 18.4',
  mode: 'primary',
  schemaVersion: 2,
  neededVersion: 2,
  missingRights: [],
  pendingEvents: { count: 1, oldestAtMs: 0 },
}

test.each<[Partial<StorageDiagnosis>, string]>([
  [{}, 'reachable well: PostgreSQL 18.4 answers.'],
  [{}, 'primary well: The server takes changes.'],
  [{ mode: 'replica' }, 'primary wrong: The server is a read replica: connect to the primary.'],
  [{ mode: 'read_only' }, 'primary wrong: The server is read-only: turn default_transaction_read'],
  [{}, 'schema well: The tables are at version 2.'],
  [{ schemaVersion: null }, 'schema unknown: This role may not read the version of the tables.'],
  [{ schemaVersion: 0 }, 'schema wrong: There are no tables: run `npx miftah migrate`.'],
  [{ schemaVersion: 1 }, 'schema wrong: The tables are at version 1: run `npx miftah migrate`.'],
  [{ schemaVersion: 3 }, 'schema wrong: The tables are at version 3, but this release only knows'],
  [{}, 'rights well: This role has every right that it needs.'],
  [{ schemaVersion: 1 }, 'rights unknown: Rights are checked once the tables are up to date.'],
  [{ missingRights: ['a', 'b'] }, 'rights wrong: This role lacks a, b: apply the SQL of `npx'],
  [{}, 'events well: 1 event has not been acknowledged by a relay; the oldest is from 1970-01-01T'],
  [{ pendingEvents: null }, 'events unknown: Events cannot be counted with this role or schema.'],
  [
    { pendingEvents: { count: 0, oldestAtMs: null } },
    'events well: 0 events have not been acknowledged by a relay.',
  ],
])('%j: %s', (change, finding) => {
  const found = Object.entries(findingsOf({ ...WELL, ...change }))
  const lines = found.map(([check, [state, text]]) => `${check} ${state}: ${text}`)
  expect(lines).toContainEqual(expect.stringContaining(finding))
})

/** What the doctor says of a database, and the findings that are not well. */
async function findingsOn(database: string) {
  const { code, out, err } = await miftah(['doctor', '-d', database, '--json'])
  const { ok, findings } = JSON.parse(out) as {
    readonly ok: boolean
    readonly findings: readonly { check: string; state: string; text: string }[]
  }
  expect([ok, err]).toEqual([code === 0, ''])
  const bad = findings.filter(({ state }) => state !== 'well')
  return { code, out, bad: bad.map(({ check, state }) => `${check} ${state}`) }
}

const NONE = { code: 1, bad: ['schema wrong', 'rights unknown', 'events unknown'] }
const WELL_NOW = { code: 0, bad: [] }

test('a SQLite file: in use, without tables, from a later release, or not a database', async () => {
  const path = await migratedPath()
  await miftah(['create', ...NEW, '-d', path])
  const { code, out, err } = await miftah(['doctor', '-d', path])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  const [first, , , , last, ...more] = out.trimEnd().split('\n')
  expect(first).toMatch(/^ok {5}reachable {3}SQLite 3\.\d+\.\d+ answers\.$/)
  expect(last).toMatch(
    /^ok {5}events {6}1 event has not been acknowledged by a relay; the oldest is/,
  )
  expect(more).toEqual([])
  rawAt(path).exec('UPDATE miftah_schema SET version = 99')
  expect(await findingsOn(path)).toMatchObject(NONE)
  const empty = freshPath()
  writeFileSync(empty, '')
  expect(await findingsOn(empty)).toMatchObject(NONE)
  writeFileSync(empty, 'nonsense '.repeat(100))
  const none = await miftah(['doctor', '-d', empty])
  expect(none).toMatchObject({ code: 1, err: '' })
  expect(none.out).toMatch(
    /^WRONG {2}reachable {3}The key storage cannot be used: the SQLite .*\n$/,
  )
})

test('PostgreSQL: rights that are missing, servers that take no changes, and none', async () => {
  const server = await startPostgres()
  onTestFinished(() => server.dispose())
  const { name, pool, close } = await testDatabase(server)
  onTestFinished(close)
  const query = (sql: string) => pool().query(sql)
  const url = (user = 'postgres') => server.url(name, user)
  await query('CREATE ROLE app_well LOGIN; CREATE ROLE app_poor LOGIN')
  expect(await findingsOn(url())).toMatchObject(NONE)
  await query(postgresSchema({ runtimeRole: 'app_well' }))
  await miftah(['create', ...NEW, '-d', url('app_well')])
  const well = await findingsOn(url('app_well'))
  expect(well).toMatchObject(WELL_NOW)
  expect(well.out).toContain('1 event has not been acknowledged by a relay; the oldest is from 2')
  await query(postgresSchema({ runtimeRole: 'app_poor' }))
  await query('REVOKE UPDATE ON miftah.miftah_keys FROM app_poor')
  const poor = await findingsOn(url('app_poor'))
  expect(poor).toMatchObject({ code: 1, bad: ['rights wrong'] })
  expect(poor.out).toContain('This role lacks UPDATE ON miftah.miftah_keys: apply the SQL of')

  const option = 'options=-c%20default_transaction_read_only%3Don'
  const readOnly = await findingsOn(`${url()}?${option}`)
  expect(readOnly).toMatchObject({ code: 1, bad: ['primary wrong'] })
  const away = await miftah(['doctor', '-d', 'postgres://127.0.0.1:1/none'])
  expect(away.code).toBe(1)
  expect(away.out).toMatch(/^WRONG {2}reachable {3}.*: no database server listens .*\n$/)
})

const mysql = mysqlForFile()

test.skipIf(!hasServer)('MySQL: from no tables to a user with the printed grants', async () => {
  expect(await findingsOn(mysql.url)).toMatchObject(NONE)
  await miftah(['migrate', '-d', mysql.url])
  const of = ['-d', mysql.url.replace('mysql:', 'mariadb:'), '-w', 'ws_1']
  const { key } = JSON.parse((await miftah(['create', ...of, ...NEW, '--json'])).out)
  expect(await miftah(['revoke', key.id, ...of])).toMatchObject({ code: 0 })
  expect((await miftah(['list', ...of, '--json'])).out).toContain('"status": "revoked"')
  await expectRefused(['list', ...of, '--schema', 's'], '--schema is for PostgreSQL only.')

  const user = `u${Math.random().toString(36).slice(2, 10)}`
  const url = new URL(mysql.url)
  url.username = user
  await mysql.pool.query(`CREATE USER '${user}'@'%'`)
  onTestFinished(async () => void (await mysql.pool.query(`DROP USER '${user}'@'%'`)))
  const printed = await miftah(['migrate', '-d', mysql.url, '--print', '--runtime-role', user])
  const [first = '', ...grants] = printed.out.match(/^GRANT [^;]+/gm) ?? []
  await mysql.pool.query(first)
  expect((await findingsOn(url.href)).out).toContain('SELECT ON miftah_keys')
  for (const grant of grants) await mysql.pool.query(grant)
  expect(await findingsOn(url.href)).toMatchObject(WELL_NOW)
})
