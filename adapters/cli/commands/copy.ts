import {
  compare,
  copy,
  type Difference,
  NotACopy,
  type Sides,
  type Written,
} from '../../storage/lib/copy/copy.ts'
import type { Command } from '../command.ts'
import type { OptionValues } from '../command-line.ts'
import { type Database, isPostgres, openDatabase } from '../database.ts'
import { json, type Terminal } from '../output.ts'
import { UsageError } from '../usage-error.ts'

/** `miftah copy --from A --to B`: makes the keys of B those of A. */
export const copyDatabase: Command = {
  summary: 'copy all keys, uses and events to another database; run it again to go on',
  needs: ['from', 'to'],
  takes: ['dry-run'],
  async withoutDatabase({ values, terminal }) {
    const source = await openSide(values, 'from')
    try {
      await checkSource(source)
      const target = await openSide(values, 'to')
      try {
        await target.storage.migrate()
        return await copied(values, terminal, { source, target })
      } finally {
        await target.close()
      }
    } finally {
      await source.close()
    }
  },
}

/** `--schema` and `--table-prefix` are those of each side that is PostgreSQL. */
function openSide(values: OptionValues, side: 'from' | 'to'): Promise<Database> {
  const database = values[side] ?? ''
  const { schema: _, 'table-prefix': __, ...others } = values
  const options = isPostgres(database) ? values : others
  return openDatabase({ ...options, database }, { mayCreate: side === 'to' }, `--${side}`)
}

/** A source that an older release has left would be read wrongly. */
async function checkSource({ storage }: Database): Promise<void> {
  const { schemaVersion, neededVersion } = await storage.diagnose()
  if (schemaVersion === neededVersion) return
  const found = schemaVersion === null ? 'is unknown' : `is ${schemaVersion}`
  throw new UsageError(
    `The schema version of --from ${found}, and ${neededVersion} is needed: run \`miftah migrate\` on it.`,
  )
}

async function copied(
  values: OptionValues,
  terminal: Terminal,
  databases: { readonly source: Database; readonly target: Database },
): Promise<number> {
  const { source, target } = databases
  const sides: Sides = { source: await source.tables(), target: await target.tables() }
  try {
    const written = values['dry-run'] ? [] : await copy(sides)
    if (!values.json) for (const one of written) await terminal.out(line(one))
    const left = (await compare(sides)).filter(isDifferent)
    await terminal.out(values.json ? json({ written, left }) : sentence(left))
    return left.length === 0 ? 0 : 1
  } catch (error) {
    if (!(error instanceof NotACopy)) throw error
    throw new UsageError(`--to is not a copy of --from: ${error.message}. Nothing was written.`)
  }
}

function isDifferent({ changed, gone }: Difference): boolean {
  return changed.length + gone.length > 0
}

function line({ unit, copied, deleted }: Written): string {
  return `${unit}: ${copied} copied${deleted === 0 ? '' : `, ${deleted} deleted`}`
}

/** How many ids are named. */
const NAMED = 5

function sentence(left: readonly Difference[]): string {
  if (left.length === 0) return 'The databases are equal.'
  const lines = left.map(({ unit, changed, gone }) => {
    const ids = [...changed, ...gone]
    const more = ids.length > NAMED ? ` and ${ids.length - NAMED} more` : ''
    return `  ${unit}: ${ids.slice(0, NAMED).join(', ')}${more}`
  })
  return ['These differ; run the command again to copy them:', ...lines].join('\n')
}
