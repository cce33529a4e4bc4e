import { readFile } from 'node:fs/promises'
import type { ImportKey } from '../../../src/index.ts'
import type { Command } from '../command.ts'
import { checked, UsageError } from '../errors.ts'

const IMPORT_AGAIN = 'Keys may have been imported: import the file again, which adds none twice.'

export const importFile: Command = {
  summary: 'import the keys of another system from a file of JSON lines',
  example: 'import old-keys.jsonl -d keys.db -c miftah.config.js --dry-run',
  argument: '<FILE>',
  takes: ['dryRun', 'actorId', 'actorName'],
  async run({ argument: path, values, actor, keys, terminal, show, config }) {
    if ((config?.formats ?? []).length === 0) {
      throw new UsageError('import needs a config module with "formats".')
    }
    const text = await readFile(path, 'utf8').catch(({ code = 'unknown' }) => {
      throw new UsageError(`${path} cannot be read: ${code}.`)
    })
    const rows = rowsIn(path, text)
    const { dryRun = false } = values
    const options = { actor, dryRun }
    const counts = { imported: 0, exists: 0, invalid: 0 }
    for (let first = 0; first < rows.length; first += 1_000) {
      const page = rows.slice(first, first + 1_000)
      const own = page.map(({ row }) => row)
      const results = await checked(() => keys.importKeys(own, options), IMPORT_AGAIN)
      for (const [at, result] of results.entries()) {
        counts[result.outcome] += 1
        if (result.outcome !== 'invalid') continue
        const issues = result.issues.map(({ path, message }) => `${path.join('.')} ${message}`)
        terminal.err(`Line ${page[at]?.line}: ${issues.map((text) => text.trim()).join(' ')}`)
      }
    }
    const { imported, exists, invalid } = counts
    const verb = dryRun ? 'would be imported' : 'imported'
    await show(counts, `${imported} ${verb}, ${exists} there already, ${invalid} invalid.`)
    return invalid === 0 ? 0 : 1
  },
}

/** Parses every row, with its line from 1, before the first is imported: a syntax error imports nothing. */
function rowsIn(path: string, text: string): readonly { line: number; row: ImportKey }[] {
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
