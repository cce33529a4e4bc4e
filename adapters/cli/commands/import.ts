import { readFile } from 'node:fs/promises'
import type { ApiKeys, ImportKey } from '../../../src/index.ts'
import { actorOf, type Command } from '../command.ts'
import { json } from '../output.ts'
import { UsageError } from '../usage-error.ts'
import { changed } from './checked.ts'

type ImportedRow = Awaited<ReturnType<ApiKeys['importKeys']>>[number]

/** What `importKeys` takes at once. */
const ROWS_A_CALL = 1_000

const IMPORT_AGAIN = 'Keys may have been imported: import the file again, which adds none twice.'

/** `miftah import FILE`: the keys of another system, one JSON object a line. */
export const importFile: Command = {
  summary: 'import the keys of another system from a file of JSON lines',
  argument: 'FILE',
  takes: ['dry-run', 'actor-id', 'actor-name'],
  async run({ argument: path, values, keys, terminal, config }) {
    if ((config?.formats ?? []).length === 0) {
      throw new UsageError('import needs a config module with "formats".')
    }
    const rows = rowsIn(path, await textOf(path))
    const options = { actor: actorOf(values), dryRun: values['dry-run'] }
    const counts = { imported: 0, exists: 0, invalid: 0 }
    for (let first = 0; first < rows.length; first += ROWS_A_CALL) {
      const page = rows.slice(first, first + ROWS_A_CALL)
      const keysOfPage = page.map(({ row }) => row as ImportKey)
      const results = await changed(() => keys.importKeys(keysOfPage, options), IMPORT_AGAIN)
      for (const [at, result] of results.entries()) {
        counts[result.outcome] += 1
        const problem = problemOf(result)
        if (problem !== null) terminal.err(`Line ${page[at]?.line}: ${problem}`)
      }
    }
    await terminal.out(values.json ? json(counts) : summary(counts, options.dryRun))
    return counts.invalid === 0 ? 0 : 1
  },
}

interface Row {
  /** Its line in the file, from 1. */
  readonly line: number
  readonly row: unknown
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${Object(error).code ?? 'unknown'}.`)
  }
}

/** Parses every row before the first is imported, so that a syntax error imports nothing. */
function rowsIn(path: string, text: string): readonly Row[] {
  return text.split('\n').flatMap((content, at) => {
    if (content.trim() === '') return []
    try {
      return [{ line: at + 1, row: JSON.parse(content) }]
    } catch {
      // Without the parser's message, which quotes the line.
      throw new UsageError(`${path}, line ${at + 1}: is not JSON.`)
    }
  })
}

function problemOf(result: ImportedRow): string | null {
  if (result.outcome !== 'invalid') return null
  const problems = result.issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim())
  return problems.join(' ')
}

function summary(
  counts: Readonly<Record<ImportedRow['outcome'], number>>,
  dryRun: boolean,
): string {
  const { imported, exists, invalid } = counts
  const verb = dryRun ? 'would be imported' : 'imported'
  return `${imported} ${verb}, ${exists} there already, ${invalid} invalid.`
}
