import { describe, expect, test } from 'vitest'
import { mysqlSchema, mysqlStorage } from '../../adapters/storage/mysql.ts'
import { postgresSchema, postgresStorage } from '../../adapters/storage/postgres.ts'
import { sqliteSchema } from '../../adapters/storage/sqlite.ts'
import { inserted } from '../support/inserted.ts'
import * as mysql from '../support/mysql/server.ts'
import { databaseForFile } from '../support/postgres/own-database.ts'
import { freshPath, rawAt, storageAt } from '../support/sqlite-files.ts'
import { viewOf } from '../support/stored.ts'
import { rejection } from '../support/world.ts'

/* How a database gets its tables, and which tables are refused. */

interface Options {
  readonly migrate?: boolean
}

/** A place without tables. */
interface Place {
  /** How messages call it. */
  readonly name: string
  readonly open: (options?: Options) => ReturnType<typeof postgresStorage>
  /** Runs statements; `miftah_` begins the name of a table. */
  readonly run: (sql: string) => Promise<unknown>
  readonly rows: (sql: string) => Promise<unknown>
  readonly printed: string
}

function onPostgres(): () => Promise<Place> {
  const db = databaseForFile()
  let schemas = 0
  return async () => {
    schemas += 1
    const schema = `place_${schemas}`
    await db.pool.query(`CREATE SCHEMA ${schema}`)
    // A pool of its own, for what `migrate` does at once.
    const pool = db.openPool({ options: `-c search_path=${schema}` })
    return {
      name: `the schema "${schema}"`,
      open: (options) => postgresStorage(pool, { schema, ...options }),
      run: (sql) => pool.query(sql),
      rows: async (sql) => (await pool.query(sql)).rows,
      printed: postgresSchema({ schema }),
    }
  }
}

function onMysql(): () => Promise<Place> {
  const db = mysql.databaseForFile()
  return async () => {
    const [tables] = await db.pool.query('SHOW TABLES')
    const names = (tables as object[]).flatMap((row) => Object.values(row))
    if (names.length > 0) await db.pool.query(`DROP TABLE ${names}`)
    const many = db.openPool({ multipleStatements: true })
    return {
      name: `the database \`${db.name}\``,
      open: (options) => mysqlStorage(db.pool, options),
      run: (sql) => many.query(sql),
      rows: async (sql) => (await many.query(sql))[0],
      printed: mysqlSchema(),
    }
  }
}

function onSqlite(): () => Promise<Place> {
  return async () => {
    const path = freshPath()
    const raw = rawAt(path)
    return {
      name: `the file ${path}`,
      open: (options) => storageAt(path, options) as never,
      run: async (sql) => raw.exec(sql),
      rows: async (sql) =>
        raw
          .prepare(sql)
          .all()
          .map((row) => ({ ...Object(row) })),
      printed: sqliteSchema(),
    }
  }
}

const DATABASES = [
  ['PostgreSQL', onPostgres, true, 'use a new schema'],
  ['MySQL', onMysql, mysql.hasServer, 'use a new database'],
  ['SQLite', onSqlite, true, 'use a new file, or delete .data'],
] as const

const VERSION = 'SELECT version FROM miftah_schema'
const VIEW = viewOf('ws')

describe.each(DATABASES)('the tables on %s', (_, database, isThere, mend) => {
  if (!isThere) return test.skip('needs a server')
  const place = database()

  test('are made at first use, once, also by 16 storages', async () => {
    const { open, rows } = await place()
    await Promise.all(Array.from({ length: 16 }, () => open().migrate()))
    const storage = open()
    const record = await inserted(storage)
    await storage.migrate()
    expect(await storage.findByHash(record.hash)).toEqual(record)
    expect(await rows(VERSION)).toEqual([{ version: 1 }])
  })

  test('are waited for with migrate: false, and are those that are printed', async () => {
    const { name, open, run, printed } = await place()
    const storage = open({ migrate: false })
    const message = `${name} has no tables of miftah; version 1 is needed: run npx miftah migrate`
    expect(await rejection(storage.read(VIEW))).toMatchObject({ code: 'schema_missing', message })
    expect(await storage.diagnose()).toMatchObject({
      ...{ mode: 'primary', schemaVersion: 0, neededVersion: 1 },
      ...{ missingRights: [], pendingEvents: null },
    })
    await run(printed)
    const record = await inserted(storage)
    expect(await storage.findByHash(record.hash)).toEqual(record)
    expect(await storage.diagnose()).toMatchObject({
      ...{ schemaVersion: 1, pendingEvents: { count: 1, oldestAtMs: record.createdAtMs } },
    })
  })

  test('of a later release are refused, and used when they are known again', async () => {
    const { name, open, run } = await place()
    await open().migrate()
    await run('UPDATE miftah_schema SET version = 2')
    const known = 'this release only knows versions up to 1: update miftah in this process'
    const error = {
      code: 'schema_too_new',
      message: `${name} has version 2 of the tables; ${known}`,
    }
    for (const migrate of [true, false]) {
      expect(await rejection(open({ migrate }).read(VIEW))).toMatchObject(error)
    }
    expect(await rejection(open().migrate())).toMatchObject(error)
    await run('UPDATE miftah_schema SET version = 1')
    expect(await open().read(VIEW)).toMatchObject({ added: 0, keys: [] })
  })

  test('of a version before 1 are refused, and left as they are', async () => {
    const { name, open, run, rows } = await place()
    const tables = database === onPostgres ? 'miftah_schema_version' : 'miftah_migrations'
    await run(`CREATE TABLE ${tables} (version INT)`)
    const message = `${name} has tables made by a version of miftah before 1: ${mend}`
    for (const migrate of [true, false]) {
      const error = await rejection(open({ migrate }).read(VIEW))
      expect(error).toMatchObject({ name: 'StorageError', code: 'schema_foreign', message })
    }
    await expect(rows(VERSION)).rejects.toThrow(/miftah_schema/)
  })
})
