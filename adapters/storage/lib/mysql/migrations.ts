import { attempts } from '../attempts.ts'
import type { Deadline } from '../deadline.ts'
import { foreignSchema, isCurrent, Readiness } from '../readiness.ts'
import { integerIn } from '../sql/cells.ts'
import { grantsTo } from '../sql/rights.ts'
import { type MysqlPool, onConnection, type Run } from './driver.ts'
import { MYSQL_FAULTS, unless } from './errors.ts'
import { VERSION_1 } from './schema.ts'
import { one, type Server, serverOf } from './server.ts'
import { Session } from './session.ts'

/** The migrations in order, each literal SQL that can be run again. */
export const MIGRATIONS: readonly string[] = [VERSION_1]

/** The schema version that this release reads and writes. */
export const SCHEMA_VERSION = MIGRATIONS.length

/** Which SQL {@link mysqlSchema} prints. */
export interface MysqlSchemaOptions {
  /** A user, `name` or `name@host`, to grant what serves requests. Default: none. */
  readonly runtimeUser?: string
  /** A user to grant the same, and to erase and purge. Default: none. */
  readonly erasureUser?: string
}

/**
 * The SQL that brings a database to this release's version, for teams who apply migrations themselves and set
 * `migrate: false`, and the grants of users. It can be run again at any time. Throws a `TypeError` for an invalid user.
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
  const { runtimeUser, erasureUser } = options
  const grants = [
    ...(runtimeUser === undefined ? [] : [grantsFor(runtimeUser, false)]),
    ...(erasureUser === undefined ? [] : [grantsFor(erasureUser, true)]),
  ]
  return `${[...stepsFrom(0), ...grants].join('\n\n')}\n`
}

/** The grants of `name` or `name@host`. */
function grantsFor(user: string, mayErase: boolean): string {
  const at = user.lastIndexOf('@')
  const [name, host] = at < 0 ? [user, '%'] : [user.slice(0, at), user.slice(at + 1)]
  const account = `${quoted(name)}@${quoted(host)}`
  return grantsTo(account, (table) => `miftah_${table}`, mayErase).join('\n')
}

function quoted(name: string): string {
  if (/^[^\\'`"\p{Cc}]+$/u.test(name)) return `'${name}'`
  throw new TypeError('mysqlSchema: a user must be a name or name@host, without quotes.')
}

function stepsFrom(from: number): readonly string[] {
  return MIGRATIONS.slice(from).flatMap((sql, at) => [
    sql,
    `INSERT IGNORE INTO miftah_schema VALUES (${from + at + 1});`,
  ])
}

/**
 * Whether a server has the tables. Statements that change tables cannot be undone, so each can be run again: whatever
 * stops a migration, the next one goes on. Processes may run it at once.
 */
export function readinessOf(pool: MysqlPool, mayMigrate: boolean): Readiness<Server> {
  const onServer = <T>(
    deadline: Deadline,
    mayBeMade: boolean,
    make: (run: Run, server: Server, version: number) => Promise<T>,
  ) =>
    attempts(MYSQL_FAULTS, 'read', deadline, () =>
      onConnection(pool, deadline, async (run) => {
        const server = await serverOf(run)
        await new Session(run, server).check()
        const version = await installedVersion(run, server.database)
        const isMade = isCurrent(version, SCHEMA_VERSION, named(server.database), mayBeMade)
        return isMade ? server : make(run, server, version)
      }),
    )
  const check = (deadline: Deadline, mayBeMade: boolean) =>
    onServer(deadline, mayBeMade, async () => null)
  const migrate = (deadline: Deadline) => onServer(deadline, true, makeTables)
  return new Readiness<Server>({ check, migrate }, mayMigrate)
}

async function makeTables(run: Run, server: Server, version: number): Promise<Server> {
  const statements = stepsFrom(version).flatMap((step) => step.split(/;\s*(?:\n|$)/))
  for (const statement of statements.filter((one) => one.trim() !== '')) {
    await run(statement.replaceAll('miftah_', () => `${server.database}.miftah_`))
  }
  return server
}

function named(database: string): string {
  return `the database ${database}`
}

/** The version of the tables in the database, 0 without any; it may be of a later release. */
export async function installedVersion(run: Run, database: string): Promise<number> {
  const version = await numberFrom(run, 'COALESCE(MAX(version), 0)', `${database}.miftah_schema`)
  if (version !== null) return version
  const before = await numberFrom(run, 'COUNT(*)', `${database}.miftah_migrations`)
  if (before === null) return 0
  throw foreignSchema(named(database), 'use a new database')
}

/** ER_NO_SUCH_TABLE. */
const NO_SUCH_TABLE = 1146

/** A number in a table, or `null` without the table. */
async function numberFrom(run: Run, number: string, table: string): Promise<number | null> {
  const sql = `SELECT ${number} AS number FROM ${table}`
  const row = await unless([NO_SUCH_TABLE], () => one(run, sql))
  return row && integerIn(row, 'number')
}
