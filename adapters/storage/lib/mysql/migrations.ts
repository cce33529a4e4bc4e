import { integerIn, rowFrom, textIn } from '../row.ts'
import { checkCurrent, checkFrom, checkNotNewer, stepsAfter } from '../schema-version.ts'
import { type Connection, rowsIn } from './driver.ts'
import { errnoOf } from './errors.ts'
import { grantsFor } from './grants.ts'
import { VERSION_1 } from './schema.ts'

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
  const noteOf = (version: number) =>
    `INSERT IGNORE INTO miftah_migrations VALUES (${version}, UNIX_TIMESTAMP());`
  return stepsAfter(from, MIGRATIONS, noteOf)
}

/**
 * Brings the schema to this release's version. Statements that change tables cannot be undone, so each can
 * be run again: whatever stops a migration, the next one goes on. Processes may run it at once.
 */
export async function migrateSchema(connection: Connection): Promise<void> {
  const from = await installedVersion(connection)
  checkNotNewer(from, SCHEMA_VERSION)
  for (const sql of stepsFrom(from).flatMap(statementsIn)) await connection.run(sql)
}

/** Throws `StorageError` unless the schema is at this release's version. */
export async function checkSchema(connection: Connection): Promise<void> {
  const version = await installedVersion(connection)
  if (version === SCHEMA_VERSION) return
  const [row] = rowsIn(await connection.run('SELECT DATABASE() AS name'))
  const place = `the database "${textIn(rowFrom(row), 'name')}"`
  checkCurrent(version, SCHEMA_VERSION, { engine: 'mysql', place })
}

/** ER_NO_SUCH_TABLE. */
const NO_SUCH_TABLE = 1146

/** The version of the tables in the database, 0 without any; it may be of a later release. */
export async function installedVersion(connection: Connection): Promise<number> {
  const sql = 'SELECT COALESCE(MAX(version), 0) AS version FROM miftah_migrations'
  try {
    const [row] = rowsIn(await connection.run(sql))
    return integerIn(rowFrom(row), 'version')
  } catch (error) {
    if (errnoOf(error) === NO_SUCH_TABLE) return 0
    throw error
  }
}

function statementsIn(sql: string): readonly string[] {
  return sql.split(/;\s*(?:\n|$)/).filter((one) => one.trim() !== '')
}
