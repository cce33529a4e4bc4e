import mysql from 'mysql2/promise'
import { afterAll, beforeAll } from 'vitest'
import { mysqlStorage } from '../../../adapters/storage/mysql.ts'
import { isAvailable } from '../available.ts'

/** The server of the tests, whose user creates databases and drops them. */
export const SERVER_URL = process.env['MIFTAH_TEST_MYSQL_URL'] ?? ''

/** Whether the environment names a server. */
export const hasServer = isAvailable(
  'MySQL or MariaDB',
  SERVER_URL !== '',
  'set MIFTAH_TEST_MYSQL_URL, to a user that may create databases',
)

/** Databases of the process so far, each with a name of its own. */
let databases = 0

/** A database for the tests of a file, and pools of connections to it. */
export interface TestDatabase {
  readonly name: string
  readonly url: string
  /** A pool that is closed after the tests. */
  readonly openPool: (options?: mysql.PoolOptions) => mysql.Pool
  /** A pool that the tests share. */
  readonly pool: mysql.Pool
}

/** Creates a database before the tests of a file and drops it after them. */
export function databaseForFile(): TestDatabase {
  databases += 1
  const name = `miftah_test_${process.pid}_${databases}_${Math.random().toString(36).slice(2, 8)}`
  const url = `${SERVER_URL}/${name}`
  const pools: mysql.Pool[] = []
  const openPool = (options: mysql.PoolOptions = {}) => {
    const pool = mysql.createPool({ uri: url, ...options })
    pools.push(pool)
    return pool
  }
  let shared: mysql.Pool | undefined
  beforeAll(async () => {
    if (hasServer) await onServer(`CREATE DATABASE ${name}`)
  })
  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.end()))
    if (hasServer) await onServer(`DROP DATABASE ${name}`)
  })
  return {
    name,
    url,
    openPool,
    get pool() {
      shared ??= openPool()
      return shared
    },
  }
}

/** The same, with the tables of miftah. */
export function tablesForFile(): TestDatabase {
  const db = databaseForFile()
  beforeAll(async () => {
    if (hasServer) await mysqlStorage(db.pool).migrate()
  })
  return db
}

async function onServer(sql: string): Promise<void> {
  const connection = await mysql.createConnection(SERVER_URL)
  await connection.query(sql)
  await connection.end()
}

/** Empties all tables of the schema, which is quicker than to create them again. */
export async function emptyTables(pool: mysql.Pool): Promise<void> {
  const [rows] = await pool.query<mysql.RowDataPacket[]>('SHOW TABLES')
  const tables = rows.flatMap((row) => Object.values(row).map(String))
  const connection = await pool.getConnection()
  await connection.query('START TRANSACTION')
  for (const table of tables) {
    if (table !== 'miftah_schema') await connection.query(`DELETE FROM ${table}`)
  }
  await connection.query('INSERT INTO miftah_relay VALUES (1, NULL, 0, 0)')
  await connection.query('INSERT INTO miftah_clock VALUES (1, 0, 0)')
  await connection.query('COMMIT')
  connection.release()
}
