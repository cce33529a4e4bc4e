import { checkFrom, foreignSchema, isCurrent } from '../readiness.ts'
import { integerIn, rowFrom } from '../sql/cells.ts'
import { type Run, rowsIn } from './driver.ts'
import { errnoOf } from './errors.ts'
import { grantsFor } from './grants.ts'
import { VERSION_1 } from './schema.ts'
import type { Server } from './server.ts'

/**
 * The migrations in order, each literal SQL that can be run again; the first brings an empty database to
 * version 1.
 */
export const MIGRATIONS: readonly string[] = [VERSION_1]

/** The schema version that this release reads and writes. */
export const SCHEMA_VERSION = MIGRATIONS.length

/** Which SQL {@link mysqlSchema} prints. */
export interface MysqlSchemaOptions {
  /** The version of the schema to begin at. Default 0: an empty database. */
  readonly from?: number
  /** A user, `name` or `name@host`, to grant what serves requests. Default: none. */
  readonly runtimeUser?: string
  /** A user to grant the same, and to erase and purge. Default: none. */
  readonly erasureUser?: string
}

/**
 * The SQL that brings a database to this release's version, for teams who apply migrations themselves and set
 * `migrate: false`, and the grants of users. It can be run again at any time. Throws a `RangeError` for a
 * version that this release does not know, and a `TypeError` for an invalid user.
 *
 * @example
 * ```ts
 * import { mysqlSchema } from 'miftah/mysql'
 * import { writeFileSync } from 'node:fs'
 *
 * writeFileSync('miftah.sql', mysqlSchema({ runtimeUser: 'app' }))
 * ```
 */
export function mysqlSchema(options: MysqlSchemaOptions = {}): string {
  const { from = 0, runtimeUser, erasureUser } = options
  checkFrom(from, SCHEMA_VERSION, 'mysqlSchema')
  const grants = [
    ...(runtimeUser === undefined ? [] : [grantsFor(runtimeUser, false)]),
    ...(erasureUser === undefined ? [] : [grantsFor(erasureUser, true)]),
  ]
  return `${[...stepsFrom(from), ...grants].join('\n\n')}\n`
}

function stepsFrom(from: number): readonly string[] {
  return MIGRATIONS.slice(from).flatMap((sql, at) => [
    sql,
    `INSERT IGNORE INTO miftah_schema VALUES (${from + at + 1});`,
  ])
}

/**
 * Brings the schema to this release's version. Statements that change tables cannot be undone, so each can
 * be run again: whatever stops a migration, the next one goes on. Processes may run it at once.
 */
export async function migrateSchema(run: Run, { database }: Server): Promise<void> {
  const from = await installedVersion(run, database)
  isCurrent(from, SCHEMA_VERSION, named(database), true)
  for (const statement of stepsFrom(from).flatMap(statementsIn)) {
    await run(statement.replaceAll('miftah_', () => `${database}.miftah_`))
  }
}

/** Whether the schema is at this release's version. Throws `StorageError` for another one that must stay. */
export async function isInstalled(
  run: Run,
  { database }: Server,
  mayMigrate: boolean,
): Promise<boolean> {
  const version = await installedVersion(run, database)
  return isCurrent(version, SCHEMA_VERSION, named(database), mayMigrate)
}

function named(database: string): string {
  return `the database ${database}`
}

/** The version of the tables in the database, 0 without any; it may be of a later release. */
export async function installedVersion(run: Run, database: string): Promise<number> {
  const version = await numberFrom(
    run,
    `SELECT COALESCE(MAX(version), 0) AS number FROM ${database}.miftah_schema`,
  )
  if (version !== null) return version
  const before = await numberFrom(
    run,
    `SELECT COUNT(*) AS number FROM ${database}.miftah_migrations`,
  )
  if (before === null) return 0
  throw foreignSchema(named(database), 'use a new database')
}

/** ER_NO_SUCH_TABLE. */
const NO_SUCH_TABLE = 1146

async function numberFrom(run: Run, sql: string): Promise<number | null> {
  try {
    return integerIn(rowFrom(rowsIn(await run(`${sql} LIMIT 1`))[0]), 'number')
  } catch (error) {
    if (errnoOf(error) === NO_SUCH_TABLE) return null
    throw error
  }
}

function statementsIn(sql: string): readonly string[] {
  return sql.split(/;\s*(?:\n|$)/).filter((one) => one.trim() !== '')
}
