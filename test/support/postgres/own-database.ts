import type pg from 'pg'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { type TestDatabase, testDatabase } from '../postgres-database.ts'
import { sharedPostgres } from './shared.ts'

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
  let opened: Awaited<ReturnType<typeof openDatabase>>
  let pool: pg.Pool
  beforeAll(async () => {
    opened = await openDatabase()
    pool = opened.database.pool()
  })
  afterAll(() => opened.drop())
  return {
    get name() {
      return opened.database.name
    },
    get url() {
      return opened.database.url
    },
    get pool() {
      return pool
    },
    openPool: (options) => opened.database.pool(options),
  }
}

/** Creates a database for the running test, and drops it when that test is done. */
export async function databaseForTest(): Promise<TestDatabase> {
  const { database, drop } = await openDatabase()
  onTestFinished(drop)
  return database
}

async function openDatabase() {
  const server = await sharedPostgres()
  const database = await testDatabase(server)
  const drop = async () => {
    await database.close()
    await server.dispose()
  }
  return { database, drop }
}
