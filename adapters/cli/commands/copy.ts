import { type Counts, copy } from '../../storage/lib/copy/copy.ts'
import { NotCopied } from '../../storage/lib/copy/tables.ts'
import type { Command } from '../command.ts'
import type { OptionValues } from '../command-line.ts'
import { type Database, isPostgres, openDatabase } from '../database.ts'
import { UsageError } from '../errors.ts'

/** `miftah copy --from A --to B`: fills the empty database B with what A has. */
export const copyDatabase: Command = {
  summary: 'copy everything to another database, which must be empty; stop the application first',
  example: 'copy --from keys.db --to postgres://app@db.internal/app',
  needs: ['from', 'to'],
  async withoutDatabase({ values, show }) {
    const source = await openSide(values, 'from')
    try {
      await checkSource(source)
      const target = await openSide(values, 'to')
      try {
        await target.storage.migrate()
        const counts = await copied(source, target)
        return await show(counts, linesOf(counts))
      } finally {
        await target.close()
      }
    } finally {
      await source.close()
    }
  },
}

/** `--schema` is that of each side that is PostgreSQL. */
function openSide(values: OptionValues, side: 'from' | 'to'): Promise<Database> {
  const database = values[side] ?? ''
  const { schema: _, ...others } = values
  const options = isPostgres(database) ? values : others
  return openDatabase({ ...options, database }, { mayCreate: side === 'to' }, `--${side}`)
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

async function copied(source: Database, target: Database): Promise<Counts> {
  try {
    return await copy(source.onSide, target.onSide)
  } catch (error) {
    throw error instanceof NotCopied ? new UsageError(`${error.message}.`) : error
  }
}

function linesOf(counts: Counts): string {
  return Object.entries(counts)
    .map(([table, count]) => `${table}: ${count}`)
    .join('\n')
}
