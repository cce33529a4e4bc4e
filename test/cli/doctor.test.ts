import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findingsOf } from '../../adapters/cli/commands/doctor.ts'
import { postgresSchema, postgresStorage } from '../../adapters/storage/postgres.ts'
import type { KeyStorage, StorageDiagnosis } from '../../src/storage/index.ts'
import { miftah } from '../support/command-line.ts'
import { hasServer, databaseForFile as mysqlForFile } from '../support/mysql/server.ts'
import { startStandby } from '../support/postgres/standby.ts'
import { type TestDatabase, testDatabase } from '../support/postgres-database.ts'
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts'
import { freshPath, rawAt, storageAt } from '../support/sqlite-files.ts'
import { action, keyInput } from '../support/world.ts'
import { expectRefused, keysAt, NEW } from './world.ts'

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

const doctor = (database: string) => miftah(['doctor', '-d', database])

/** The findings that are not well, and how the command ended. */
async function faults(database: string) {
  const { code, out, err } = await miftah(['doctor', '-d', database, '--json'])
  const { ok, findings } = JSON.parse(out)
  expect([ok, err]).toEqual([code === 0, ''])
  const found = findings.filter(({ state }: { state: string }) => state !== 'well')
  return {
    code,
    found: found.map((one: Record<string, string>) => `${one['check']} ${one['state']}`),
  }
}

const NONE = { code: 1, found: ['schema wrong', 'rights unknown', 'events unknown'] }

async function fill(storage: KeyStorage): Promise<void> {
  const keys = keysAt('', { storage })
  const { key } = await keys.createKey(keyInput())
  await keys.pauseKey(action(key.id))
  await keys.close()
}

describe('on SQLite', () => {
  test('a file in use', async () => {
    const path = freshPath()
    await fill(storageAt(path))
    const { code, out, err } = await doctor(path)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const lines = out.trimEnd().split('\n')
    expect(lines).toHaveLength(5)
    expect(lines[0]).toMatch(/^ok {5}reachable {3}SQLite 3\.\d+\.\d+ answers\.$/)
    expect(lines[4]).toMatch(/2 events have not been acknowledged by a relay; the oldest is from 2/)
  })

  test('a file without tables, and one of a later release', async () => {
    const path = freshPath()
    writeFileSync(path, '')
    expect(await faults(path)).toEqual(NONE)
    await storageAt(path).migrate()
    rawAt(path).exec('UPDATE miftah_schema SET version = 99')
    expect(await faults(path)).toEqual(NONE)
  })

  test('a file that is no database', async () => {
    const path = freshPath()
    writeFileSync(path, 'nonsense '.repeat(100))
    const { code, out } = await doctor(path)
    expect(code).toBe(1)
    expect(out).toMatch(
      /^WRONG {2}reachable {3}The key storage cannot be used: the SQLite file.*\n$/,
    )
  })
})

describe('on PostgreSQL', () => {
  let server: PostgresServer
  let database: TestDatabase
  const url = (user = 'postgres') => server.url(database.name, user)
  const query = (sql: string) => database.pool().query(sql)

  beforeAll(async () => {
    server = await startPostgres()
    database = await testDatabase(server)
    await query('CREATE ROLE app_well LOGIN; CREATE ROLE app_poor LOGIN')
  })
  afterAll(async () => {
    await database.close()
    await server.dispose()
  })

  test('a life from no tables to a role with few rights', async () => {
    expect(await faults(url())).toEqual(NONE)
    await query(postgresSchema({ runtimeRole: 'app_well' }))
    await fill(postgresStorage(database.pool()))
    const { code, out } = await doctor(url())
    expect(code).toBe(0)
    expect(out).toMatch(/^ok {5}reachable {3}PostgreSQL \d+\.\d+ answers\.\n/)
    expect(out).toContain('2 events have not been acknowledged')
    expect(await faults(url('app_well'))).toEqual({ code: 0, found: [] })
  })

  test('a role without rights sees each of them', async () => {
    const none = await doctor(url('app_poor'))
    expect(none.out).toContain('This role lacks USAGE ON SCHEMA miftah, SELECT ON')
    await query(postgresSchema({ runtimeRole: 'app_poor' }))
    await query('REVOKE UPDATE ON miftah.miftah_keys FROM app_poor')
    const { code, out } = await doctor(url('app_poor'))
    expect(code).toBe(1)
    expect(out).toContain('This role lacks UPDATE ON miftah.miftah_keys: apply the SQL of')
  })

  test('a server that takes no changes', async () => {
    const wrong = { code: 1, found: ['primary wrong'] }
    const option = 'options=-c%20default_transaction_read_only%3Don'
    expect(await faults(`${url()}?${option}`)).toEqual(wrong)
    const standby = await startStandby(server)
    try {
      await expect.poll(() => faults(standby.url(database.name))).toEqual(wrong)
      expect((await doctor(standby.url(database.name))).out).toContain('is a read replica')
    } finally {
      await standby.stop('immediate')
    }
  })

  test('no server', async () => {
    const { code, out } = await doctor('postgres://127.0.0.1:1/none')
    expect(code).toBe(1)
    expect(out).toMatch(/^WRONG {2}reachable {3}.*: no database server listens .*\n$/)
  })
})

describe.skipIf(!hasServer)('on MySQL', () => {
  const db = mysqlForFile()

  test('a life from no tables to a key that is revoked', async () => {
    expect(await faults(db.url)).toEqual(NONE)
    await miftah(['migrate', '-d', db.url])
    const { code, out } = await doctor(db.url)
    expect(code).toBe(0)
    expect(out).toMatch(/^ok {5}reachable {3}(MariaDB|MySQL) \d+\.\d+\.\d+ answers\.\n/)
    const of = ['-d', db.url.replace('mysql:', 'mariadb:'), '-w', 'ws_1']
    const created = await miftah(['create', ...of, ...NEW, '--json'])
    const { key } = JSON.parse(created.out)
    expect(await miftah(['revoke', key.id, ...of])).toMatchObject({ code: 0 })
    expect((await miftah(['list', ...of, '--json'])).out).toContain('"status": "revoked"')
    await expectRefused(['list', ...of, '--schema', 's'], '--schema is for PostgreSQL only.')
  })

  test('a user without the printed grants, and with them', async () => {
    const user = `u${Math.random().toString(36).slice(2, 10)}`
    const url = new URL(db.url)
    url.username = user
    await db.pool.query(`CREATE USER '${user}'@'%'`)
    const printed = await miftah(['migrate', '-d', db.url, '--print', '--runtime-role', user])
    const [first = '', ...grants] = printed.out.match(/^GRANT [^;]+/gm) ?? []
    try {
      await db.pool.query(first)
      expect((await doctor(url.href)).out).toContain('SELECT ON miftah_keys')
      for (const grant of grants) await db.pool.query(grant)
      expect(await faults(url.href)).toEqual({ code: 0, found: [] })
    } finally {
      await db.pool.query(`DROP USER '${user}'@'%'`)
    }
  })
})
