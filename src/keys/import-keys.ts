import type { Context } from '../context.ts'
import { ApiKeyError, type InputIssue } from '../model/errors.ts'
import type { Person } from '../model/key.ts'
import type { ImportKey } from '../model/new-key.ts'
import { foreignHash } from '../secret/key-format.ts'
import { Importer } from './importer.ts'
import { parseInput } from './input/parse.ts'

/** Who imports keys, and how. @inline */
export interface ImportOptions {
  /** Who imports; the actor of the audit events. */
  readonly actor: Person
  /**
   * Checks every row and writes nothing. That a workspace has been erased shows only in an import that
   * writes. Default `false`.
   */
  readonly dryRun?: boolean | undefined
}

/** The outcome of one row of an import. @inline */
export type ImportedRow =
  | {
      /** The key is stored; with `dryRun` it would be. */
      readonly outcome: 'imported'
      /** The id of the key; `null` with `dryRun`. */
      readonly id: string | null
    }
  | {
      /** The workspace has the key already; nothing was changed. */
      readonly outcome: 'exists'
      /** The id of the key; `null` for a row that a `dryRun` has seen before in the same call. */
      readonly id: string | null
    }
  | {
      /** The row cannot be imported; nothing was changed. */
      readonly outcome: 'invalid'
      /** Everything that is wrong with it. */
      readonly issues: readonly InputIssue[]
    }

export async function importKeys<S extends string>(
  context: Context<S>,
  rows: readonly ImportKey<S>[],
  options: ImportOptions,
): Promise<readonly ImportedRow[]> {
  if (context.settings.formats.length === 0) {
    throw new TypeError('importKeys needs the option "formats" of createApiKeys.')
  }
  const importer = new Importer(context, parseInput(context.schemas.importOptions, options))
  const results: ImportedRow[] = []
  for (const row of parseInput(context.schemas.importRows, rows)) {
    results.push(await rowOutcome(() => importRow(context, importer, row)))
  }
  return Object.freeze(results)
}

async function importRow<S extends string>(
  context: Context<S>,
  importer: Importer<S>,
  row: unknown,
): Promise<ImportedRow> {
  const { digest, ...fields } = parseInput(context.schemas.importRow, row)
  return importer.store(fields, foreignHash(fields.format, digest))
}

/** What a row came to; its problems are an outcome, and everything else is thrown. */
async function rowOutcome(store: () => Promise<ImportedRow>): Promise<ImportedRow> {
  try {
    return Object.freeze(await store())
  } catch (error) {
    if (!(error instanceof ApiKeyError)) throw error
    const issues = error.code === 'workspace_erased' ? [ERASED] : error.issues
    return Object.freeze({ outcome: 'invalid', issues })
  }
}

const ERASED: InputIssue = {
  path: ['workspaceId'],
  code: 'invalid_value',
  message: 'has been erased.',
}
