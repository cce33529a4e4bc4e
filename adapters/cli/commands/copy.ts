import { copy } from '../../storage/lib/copy/copy.ts'
import { NotCopied } from '../../storage/lib/copy/tables.ts'
import type { Command } from '../command.ts'
import type { OptionValues } from '../command-line.ts'
import { type Database, isPostgres, openDatabase } from '../database.ts'
import { UsageError } from '../errors.ts'

export const copyDatabase: Command = {
  summary: 'copy everything to another database, which must be empty; stop the application first',
  example: 'copy --from keys.db --to postgres://app@db.internal/app',
  needs: ['from', 'to'],
  withoutDatabase: ({ values, show }) =>
    onSide(values, 'from', async (source) => {
      await checkSource(source)
      return onSide(values, 'to', async (target) => {
        await target.storage.migrate()
        const counts = await copy(source.onSide, target.onSide).catch((error: unknown) => {
          throw error instanceof NotCopied ? new UsageError(`${error.message}.`) : error
        })
        const lines = Object.entries(counts).map(([table, count]) => `${table}: ${count}`)
        return show(counts, lines.join('\n'))
      })
    }),
}

/** Opens one of the two for some work. `--schema` is that of each that is PostgreSQL. */
async function onSide(
  { schema, ...values }: OptionValues,
  side: 'from' | 'to',
  work: (database: Database) => Promise<number>,
): Promise<number> {
  const address = values[side] ?? ''
  const options = { database: address, ...(isPostgres(address) && { schema }) }
  const database = await openDatabase(options, { mayCreate: side === 'to' }, `--${side}`)
  return work(database).finally(database.close)
}

async function checkSource({ storage }: Database): Promise<void> {
  const { mode, schemaVersion, neededVersion } = await storage.diagnose()
  if (mode === 'replica') throw new UsageError('--from is a read replica: name the primary.')
  if (schemaVersion === neededVersion) return
  const found = schemaVersion === null ? 'is unknown' : `is ${schemaVersion}`
  throw new UsageError(
    `The schema version of --from ${found}, and ${neededVersion} is needed: run \`npx miftah migrate\` on it.`,
  )
}
