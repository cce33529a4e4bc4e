import { mysqlSchema, mysqlStorage } from '../../adapters/storage/mysql.ts'
import { postgresSchema, postgresStorage } from '../../adapters/storage/postgres.ts'
import { sqliteSchema } from '../../adapters/storage/sqlite.ts'
import * as mysql from './mysql/server.ts'
import { databaseForFile } from './postgres/own-database.ts'
import { freshPath, rawAt, storageAt } from './sqlite-files.ts'

/** A place for the tables of a storage, which has none yet. */
export interface Place {
  /** How messages call it. */
  readonly name: string
  readonly open: (options?: { readonly migrate?: boolean }) => ReturnType<typeof postgresStorage>
  /** Runs statements by hand. */
  readonly run: (sql: string) => Promise<unknown>
  readonly rows: (sql: string) => Promise<readonly object[]>
  /** The SQL that makes the tables. */
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
      rows: async (sql) => (await many.query(sql))[0] as object[],
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

/** Each is opened in a `describe`, and answers a new place as often as it is asked. */
export const DATABASES = [
  { database: 'PostgreSQL', isThere: true, places: onPostgres },
  { database: 'MySQL', isThere: mysql.hasServer, places: onMysql },
  { database: 'SQLite', isThere: true, places: onSqlite },
] as const
