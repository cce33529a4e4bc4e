import { mysqlSchema } from '../../storage/mysql.ts'
import { postgresSchema } from '../../storage/postgres.ts'
import type { Command } from '../command.ts'
import type { OptionValues } from '../command-line.ts'
import { addressOf, isMysql, isPostgres, namingOf } from '../database.ts'
import { UsageError } from '../usage-error.ts'

const ROLES = ['runtime-role', 'erasure-role'] as const

/** `miftah migrate`: brings the tables up to date. `--print` prints the SQL for PostgreSQL or MySQL instead. */
export const migrate: Command = {
  summary: 'create the tables or bring them up to date; --print prints the SQL instead',
  mayCreate: true,
  takes: ['print', ...ROLES],
  async withoutDatabase({ values, terminal }) {
    if (values.print) {
      await terminal.out(sqlFor(values))
      return 0
    }
    const role = ROLES.find((name) => values[name] !== undefined)
    if (role === undefined) return null
    throw new UsageError(`--${role} requires --print.`)
  },
  async run({ database, terminal }) {
    await database.storage.migrate()
    terminal.err('The tables are up to date.')
    return undefined
  },
}

function sqlFor(values: OptionValues): string {
  const address = addressOf(values)
  const [runtimeRole, erasureRole] = ROLES.map((name) => values[name])
  if (address !== '' && !isPostgres(address) && !isMysql(address)) {
    throw new UsageError(
      '--print supports PostgreSQL and MySQL only; for SQLite, call sqliteSchema() from miftah/sqlite.',
    )
  }
  try {
    if (isMysql(address)) {
      return mysqlSchema({
        ...(runtimeRole !== undefined && { runtimeUser: runtimeRole }),
        ...(erasureRole !== undefined && { erasureUser: erasureRole }),
      })
    }
    return postgresSchema({
      ...namingOf(values),
      ...(runtimeRole !== undefined && { runtimeRole }),
      ...(erasureRole !== undefined && { erasureRole }),
    })
  } catch (error) {
    throw new UsageError(Object(error).message)
  }
}
