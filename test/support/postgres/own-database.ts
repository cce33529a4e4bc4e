import type pg from 'pg'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { sharedDatabase, type TestDatabase } from '../postgres-database.ts'

/** A database on the shared server, with one pool for every test of a file. */
export interface FileDatabase {
  readonly name: string
  readonly url: string
  readonly pool: pg.Pool
  /** Opens another pool, which is closed along with the first. */
  readonly openPool: TestDatabase['pool']
}

/** Creates a database before the tests of the calling file or `describe`, and drops it after them. */
export function databaseForFile(): FileDatabase {
  let database: TestDatabase
  let pool: pg.Pool
  beforeAll(async () => {
    database = await sharedDatabase()
    pool = database.pool()
  })
  afterAll(() => database.close())
  return {
    get name() {
      return database.name
    },
    get url() {
      return database.url
    },
    get pool() {
      return pool
    },
    openPool: (options) => database.pool(options),
  }
}

/** Creates a database for the running test, and drops it when that test is done. */
export async function databaseForTest(): Promise<TestDatabase> {
  const database = await sharedDatabase()
  onTestFinished(database.close)
  return database
}

/** Runs work while another session is in a transaction, which has run this; it is rolled back unless work commits it. */
export async function during<T>(
  { pool }: FileDatabase,
  sql: string,
  work: (commit: () => Promise<unknown>) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query(`BEGIN; ${sql}`)
    return await work(() => client.query('COMMIT'))
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
}
