import type * as z from 'zod/mini'
import type { Context } from '../context.ts'
import { importEvent } from '../events/new-event.ts'
import { foreignHash } from '../formats/key-format.ts'
import { ApiKeyError, type InputIssue } from '../model/errors.ts'
import type { Person } from '../model/key.ts'
import type { KeyRecord } from '../model/key-record.ts'
import type { Plan } from '../plans/entitlements.ts'
import { mintId } from '../secret/mint.ts'
import { insertAnswer } from '../storage/answers.ts'
import { NEW_KEY_STATE } from '../storage/record.ts'
import type { CreateKeyInput } from './create-key.ts'
import { findByHash } from './find-key-by-secret.ts'
import { invalidField } from './input/invalid-field.ts'
import { parseInput } from './input/parse.ts'
import { newExpiry } from './lifetime.ts'

/** A key to import: the fields of `createKey`, plus the format and digest that identify it. */
export interface ImportKey<S extends string = string> extends CreateKeyInput<S> {
  /** The id of its format, one of the option `formats`. */
  readonly format: string
  /** What the other system stored of the key: the result of the format's `digest`. */
  readonly digest: string
  /** How people recognise the key: 1 to 12 visible ASCII characters. Default: the id of the format. */
  readonly prefix?: string | undefined
  /** When the other system created the key. Default: now. */
  readonly createdAt?: Date | undefined
}

/** Who imports keys, and how. */
export interface ImportOptions {
  /** Who imports; the actor of the audit events. */
  readonly actor: Person
  /**
   * Checks every row and writes nothing. That a workspace has been erased shows only in an import that
   * writes. Default `false`.
   */
  readonly dryRun?: boolean | undefined
}

/** What became of one row of an import. */
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

/** Stores keys that another system issued, one row after another, each by itself. */
export async function importKeys<S extends string>(
  context: Context<S>,
  rows: readonly ImportKey<S>[],
  options: ImportOptions,
): Promise<readonly ImportedRow[]> {
  if (context.settings.formats.length === 0) {
    throw new TypeError('importKeys needs the option "formats" of createApiKeys.')
  }
  const checked = parseInput(context.schemas.importOptions, options)
  const batch = new Import(context, checked)
  const results: ImportedRow[] = []
  for (const row of parseInput(context.schemas.importRows, rows)) results.push(await batch.row(row))
  return Object.freeze(results)
}

/**
 * Stores one key whose hash is known, as its system has described it. Throws `invalid_input`,
 * `key_expired` and `workspace_erased`.
 */
export async function importAdopted<S extends string>(
  context: Context<S>,
  description: unknown,
  { format, hash }: { readonly format: string; readonly hash: string },
): Promise<void> {
  const fields = parseInput(context.schemas.adopted, description)
  const { creator, expiresAt } = fields
  if (expiresAt && expiresAt.getTime() <= context.clockMs()) throw new ApiKeyError('key_expired')
  const batch = new Import(context, { actor: creator, dryRun: false })
  await batch.store({ ...fields, format }, hash)
}

type Fields<S extends string> = z.output<Context<S>['schemas']['adopted']> & {
  readonly format: string
}

/** One call of `importKeys`. */
class Import<S extends string> {
  readonly #context: Context<S>
  readonly #options: { readonly actor: Person; readonly dryRun: boolean }
  readonly #plans = new Map<string, Plan>()
  /** The hashes that a dry run has seen, each with its workspace. */
  readonly #seen = new Map<string, string>()

  constructor(context: Context<S>, options: { readonly actor: Person; readonly dryRun: boolean }) {
    this.#context = context
    this.#options = options
  }

  row(row: unknown): Promise<ImportedRow> {
    return rowOutcome(() => {
      const { digest, ...fields } = parseInput(this.#context.schemas.importRow, row)
      return this.store(fields, foreignHash(fields.format, digest))
    })
  }

  async store(fields: Fields<S>, hash: string): Promise<ImportedRow> {
    const record = this.#recordOf(fields, hash, await this.#planOf(fields.workspaceId))
    const earlier = await this.#earlier(record)
    if (earlier !== null) return earlier
    if (this.#options.dryRun) return this.#dryOutcome(record)
    try {
      await this.#insert(record)
    } catch (error) {
      // Another process may have stored the key meanwhile.
      const since = await this.#earlier(record)
      if (since === null) throw error
      return since
    }
    return { outcome: 'imported', id: record.id }
  }

  #dryOutcome({ hash, workspaceId }: KeyRecord): ImportedRow {
    const seenIn = this.#seen.get(hash)
    if (seenIn === workspaceId) return { outcome: 'exists', id: null }
    if (seenIn !== undefined) throw usedElsewhere()
    this.#seen.set(hash, workspaceId)
    return { outcome: 'imported', id: null }
  }

  async #planOf(workspaceId: string): Promise<Plan> {
    const known = this.#plans.get(workspaceId)
    if (known !== undefined) return known
    const plan = await this.#context.entitlements(workspaceId)
    this.#plans.set(workspaceId, plan)
    return plan
  }

  /** The plan bounds the lifetime of the key; whether it has room for the key is not asked. */
  #recordOf({ expiresAt, createdAt, prefix, ...fields }: Fields<S>, hash: string, plan: Plan) {
    const nowMs = this.#context.clockMs()
    const record: KeyRecord = {
      ...NEW_KEY_STATE,
      ...fields,
      hash,
      id: mintId('key'),
      prefix: prefix ?? fields.format,
      metadata: fields.metadata ?? NEW_KEY_STATE.metadata,
      createdAtMs: createdAt?.getTime() ?? nowMs,
      updatedAtMs: nowMs,
      expiresAtMs: newExpiry(plan, nowMs, expiresAt),
    }
    return record
  }

  /** The outcome if a key with this hash is stored already. */
  async #earlier({ hash, workspaceId }: KeyRecord): Promise<ImportedRow | null> {
    const found = await findByHash(this.#context, hash)
    if (found === null) return null
    // Another process may have stored it: this one may remember that there was none.
    this.#context.cache?.forget(hash)
    if (found.record.workspaceId === workspaceId) return { outcome: 'exists', id: found.record.id }
    throw usedElsewhere()
  }

  async #insert(record: KeyRecord): Promise<void> {
    const { storage } = this.#context.settings
    const event = importEvent(record, { actor: this.#options.actor, atMs: record.updatedAtMs })
    const refusal = await this.#context.ask(
      'insert',
      (call) => storage.insert(record, null, event, call),
      (outcome) => insertAnswer(outcome, null),
    )
    if (refusal === 'erased') throw new ApiKeyError('workspace_erased')
    this.#context.cache?.forget(record.hash)
    this.#context.announce(event)
  }
}

function usedElsewhere(): ApiKeyError {
  const message = 'belongs to a key of another workspace.'
  return invalidField(['digest'], { code: 'repeated', message })
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
