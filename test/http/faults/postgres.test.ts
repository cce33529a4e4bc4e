import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type PostgresStorageOptions, postgresStorage } from '../../../adapters/storage/postgres.ts'
import { freePort } from '../../support/free-port.ts'
import { linesOfTest, plainHost } from '../../support/http/plain-host.ts'
import { hasOwnServer } from '../../support/postgres/own-server.ts'
import { openPool } from '../../support/postgres-database.ts'
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts'
import { keyInput, until } from '../../support/world.ts'

let server: PostgresServer
let admin: pg.Client
let database: string

/** A role that has to give its password; all others are trusted. */
async function assertPassword(role: string): Promise<void> {
  const file = join(server.data, 'cluster', 'pg_hba.conf')
  writeFileSync(file, `host all ${role} 127.0.0.1/32 scram-sha-256\n${readFileSync(file, 'utf8')}`)
  await admin.query('SELECT pg_reload_conf()')
  let asks = false
  while (!asks) asks = await admin.query(RULES, [role]).then(({ rows }) => rows.length > 0)
}
const RULES = 'SELECT 1 FROM pg_hba_file_rules WHERE $1 = ANY (user_name)'

interface Wrong {
  readonly config?: pg.PoolConfig
  readonly options?: PostgresStorageOptions
}

/** The lines about a storage that cannot work, after two requests each to guard and management. */
async function linesAbout({ config, options }: Wrong): Promise<readonly string[]> {
  const lines = linesOfTest()
  const right = { host: '127.0.0.1', port: server.port, user: 'postgres', database }
  const pool = openPool({ ...right, connectionTimeoutMillis: 20_000, ...config })
  onTestFinished(() => void pool.end())
  const host = plainHost(postgresStorage(pool, options), {
    keys: { storageTimeoutMs: 90_000 },
  })
  const statuses = [await host.visit(), await host.visit(), await host.list(), await host.list()]
  expect(statuses).toEqual([503, 503, 503, 503])
  return lines
}

const lineOf = (wrong: string) =>
  `miftah: The key storage cannot be used: ${wrong}. (Reported once; set onEvent of createApiKeys to be notified of every fault.)`

describe.skipIf(!hasOwnServer)('a host on PostgreSQL says', () => {
  beforeAll(async () => {
    server = await startPostgres()
    admin = new pg.Client({ connectionString: server.url('postgres') })
    await admin.connect()
    database = await server.createDatabase()
    await admin.query(`CREATE ROLE app LOGIN PASSWORD 'the right one'`)
    await admin.query('CREATE ROLE full_up LOGIN CONNECTION LIMIT 0')
    await assertPassword('app')
    return async () => {
      await admin.end()
      await server.dispose()
    }
  })

  /** What is wrong, what the connection has, and the sentence; `DATABASE` stands for the name of a database. */
  const WRONG: readonly (readonly [string, pg.PoolConfig, string])[] = [
    [
      'the database does not exist',
      { database: 'nope' },
      'the database does not exist (database "nope" does not exist); create it, or correct its name in the connection settings',
    ],
    [
      'the role does not exist',
      { user: 'nobody' },
      'the database server does not let this role in (role "nobody" does not exist); create the role or correct its name in the connection settings, and check pg_hba.conf',
    ],
    [
      'the password is wrong, and not which',
      { user: 'app', password: 'canary-password' },
      'the database server does not accept the password (password authentication failed for user "app"); check the user and the password in the connection settings',
    ],
    [
      'there is no password',
      { user: 'app' },
      'the database server requires a password, and the connection has none; put it in the connection settings',
    ],
    [
      'the server does not speak TLS',
      { ssl: true },
      'the database server does not speak TLS; turn TLS off in the connection settings',
    ],
    [
      'there are too many connections',
      { user: 'full_up' },
      'the database server takes no more connections (too many connections for role "full_up"); make the pools smaller or raise max_connections',
    ],
    [
      'the role lacks a privilege',
      { user: 'app', password: 'the right one' },
      'the database role lacks a privilege (permission denied for database DATABASE); apply the SQL of postgresSchema({ runtimeRole })',
    ],
  ]

  test.each(WRONG)('that %s', async (_, config, sentence) => {
    const lines = await linesAbout({ config })
    expect(lines).toHaveLength(1)
    const begun = `The key storage cannot be used: ${sentence.replace('DATABASE', database)}`
    expect(lines[0]).toContain(begun)
    expect(lines[0]).toContain('(Reported once; set onEvent of createApiKeys')
    expect(lines[0]).not.toContain('canary')
  })

  test('that the host name does not exist', async () => {
    const lines = await linesAbout({ config: { host: 'db.invalid' } })
    expect(lines).toEqual([
      expect.stringMatching(
        /host name of the database server (does not exist|could not be looked up) \(getaddrinfo \w+ db\.invalid\); check the host/,
      ),
    ])
  })

  test('that nobody listens at the port', async () => {
    const port = await freePort()
    expect(await linesAbout({ config: { port } })).toEqual([
      lineOf(
        `no database server listens at this address (connect ECONNREFUSED 127.0.0.1:${port}); check that it is running, and the host and the port in the connection settings`,
      ),
    ])
  })

  test('that the tables are missing, where it may not make them', async () => {
    expect(await linesAbout({ options: { migrate: false } })).toEqual([
      expect.stringContaining(
        'has no tables of miftah; version 1 is needed: run npx miftah migrate',
      ),
    ])
  })

  test('that the tables are those of a later release', async () => {
    const later = await server.createDatabase()
    const pool = openPool({ connectionString: server.url(later) })
    onTestFinished(() => void pool.end())
    await postgresStorage(pool).migrate()
    await pool.query('UPDATE miftah.miftah_schema SET version = 1000')
    const [line, ...more] = await linesAbout({ config: { database: later } })
    expect(line).toContain(
      'has version 1000 of the tables; this release only knows versions up to 1: update miftah in this process.',
    )
    expect(more).toEqual([])
  })

  test('that its disk is full', async () => {
    const full = await server.createDatabase()
    const pool = openPool({ connectionString: server.url(full) })
    onTestFinished(() => void pool.end())
    const storage = postgresStorage(pool)
    await storage.migrate()
    // What the server answers when it cannot write; its own disk has room.
    await pool.query(`CREATE FUNCTION fill_up() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$`)
    await pool.query(`CREATE TRIGGER fill_up BEFORE INSERT ON miftah.miftah_keys
      FOR EACH ROW EXECUTE FUNCTION fill_up()`)
    const lines = linesOfTest()
    expect(await plainHost(storage).create()).toBe(503)
    expect(lines).toEqual([expect.stringContaining('the disk of the database server is full')])
  })

  test('that the server is read-only', async () => {
    const readOnly = await server.createDatabase()
    await admin.query(`ALTER DATABASE ${readOnly} SET default_transaction_read_only = on`)
    const [line, ...more] = await linesAbout({ config: { database: readOnly } })
    expect(line).toContain('the database server is read-only (cannot execute ')
    expect(line).toContain('; connect to the primary.')
    expect(more).toEqual([])
  })

  test('that the pool was ended', async () => {
    const lines = linesOfTest()
    const pool = openPool({ connectionString: server.url(database) })
    const host = plainHost(postgresStorage(pool))
    await pool.end()
    expect(await host.visit()).toBe(503)
    expect(lines).toEqual([
      lineOf('the pool was ended; end it after the last request, and after keys.close()'),
    ])
  })

  test('why counted uses cannot be written, although no request fails', async () => {
    const lines = linesOfTest()
    const name = await server.createDatabase()
    const pool = openPool({ connectionString: server.url(name) })
    onTestFinished(() => void pool.end())
    const host = plainHost(postgresStorage(pool), { keys: { usageFlushMs: 1 } })
    const { secret } = await host.keys.createKey(keyInput())
    await pool.query('DROP TABLE miftah.miftah_writers CASCADE')
    expect(await host.visit(secret)).toBe(200)
    await until(() => lines.some((line) => line.includes('writers')))
    expect(lines.at(-1)).toContain('The key storage failed in addUses: PostgreSQL refused')
  })
})
