import { mysqlSchema } from '../../storage/mysql.ts'
import { postgresSchema } from '../../storage/postgres.ts'
import { type Command, given } from '../command.ts'
import type { OptionValues } from '../command-line.ts'
import { addressOf, isMysql, isPostgres } from '../database.ts'
import { named, UsageError } from '../errors.ts'

export const migrate: Command = {
  summary: 'create the tables or bring them up to date; --print prints the SQL instead',
  example: 'migrate -d keys.db',
  mayCreate: true,
  takes: ['print', 'runtimeRole', 'erasureRole'],
  async withoutDatabase({ values, terminal }) {
    if (values.print) {
      await terminal.out(sqlFor(values))
      return 0
    }
    const role = values.runtimeRole === undefined ? 'erasure-role' : 'runtime-role'
    if ((values.runtimeRole ?? values.erasureRole) === undefined) return null
    throw new UsageError(`--${role} requires --print.`)
  },
  async run({ database, terminal }) {
    await database.storage.migrate()
    terminal.err('The tables are up to date.')
    return 0
  },
}

function sqlFor({ schema, runtimeRole, erasureRole, ...values }: OptionValues): string {
  const address = addressOf(values)
  if (isMysql(address)) {
    const users = given({ runtimeUser: runtimeRole, erasureUser: erasureRole })
    return named(() => mysqlSchema(users))
  }
  if (address !== '' && !isPostgres(address)) {
    throw new UsageError(
      '--print supports PostgreSQL and MySQL only; for SQLite, call sqliteSchema() from miftah/sqlite.',
    )
  }
  return named(() => postgresSchema(given({ schema, runtimeRole, erasureRole })))
}
