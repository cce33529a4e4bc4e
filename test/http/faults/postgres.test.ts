import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import { freePort } from '../../support/free-port.ts'
import { linesAbout } from '../../support/http/plain-host.ts'
import { hasOwnServer } from '../../support/postgres/own-server.ts'
import { openPool } from '../../support/postgres-database.ts'
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts'

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

/** A pool that this much is wrong with. */
function poolWith(config: pg.PoolConfig): pg.Pool {
  const right = { host: '127.0.0.1', port: server.port, user: 'postgres', database }
  const pool = openPool({ ...right, connectionTimeoutMillis: 20_000, ...config })
  onTestFinished(() => void (pool.ended || pool.end()))
  return pool
}

const linesOn = (pool: pg.Pool) => linesAbout(postgresStorage(pool), 90_000)

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
      'the database role lacks a privilege (permission denied for database DATABASE); apply the SQL of postgresSchema({ runtimeRole }) as the owner of the database, or use a role that may create a schema',
    ],
  ]

  test.each(WRONG)('that %s', async (_, config, sentence) => {
    const said = lineOf(sentence.replace('DATABASE', database))
    expect(await linesOn(poolWith(config))).toEqual([said])
  })

  test('that nobody listens at the port', async () => {
    const port = await freePort()
    const refused = `(connect ECONNREFUSED 127.0.0.1:${port})`
    const cure = 'check that it is running, and the host and the port in the connection settings'
    const said = lineOf(`no database server listens at this address ${refused}; ${cure}`)
    expect(await linesOn(poolWith({ port }))).toEqual([said])
  })

  test('that the server is read-only', async () => {
    const readOnly = await server.createDatabase()
    await admin.query(`ALTER DATABASE ${readOnly} SET default_transaction_read_only = on`)
    const [line, ...more] = await linesOn(poolWith({ database: readOnly }))
    expect(line).toContain('the database server is read-only (cannot execute ')
    expect(line).toContain('; connect to the primary.')
    expect(more).toEqual([])
  })

  test('that the pool was ended', async () => {
    const pool = poolWith({})
    await pool.end()
    const said = lineOf('the pool was ended; end it after the last request, and after keys.close()')
    expect(await linesOn(pool)).toEqual([said])
  })
})
