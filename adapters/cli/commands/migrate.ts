import { postgresSchema } from '../../storage/postgres.ts'
import type { Command } from '../command.ts'
import { namingOf } from '../database.ts'
import { UsageError } from '../usage-error.ts'

/** `miftah migrate`: brings the tables up to date. `--print` prints the SQL for PostgreSQL instead. */
export const migrate: Command = {
  summary: 'create the tables or bring them up to date; --print prints the SQL instead',
  mayCreate: true,
  takes: ['print', 'runtime-role'],
  async run({ values, database, terminal }) {
    const runtimeRole = values['runtime-role']
    if (!values.print) {
      if (runtimeRole !== undefined) throw new UsageError('--runtime-role goes with --print.')
      await database.storage.migrate()
      terminal.err('The tables are up to date.')
      return undefined
    }
    if (!database.isPostgres)
      throw new UsageError('--print is for PostgreSQL; SQLite needs no SQL.')
    await terminal.out(
      postgresSchema({ ...namingOf(values), ...(runtimeRole !== undefined && { runtimeRole }) }),
    )
    return undefined
  },
}
