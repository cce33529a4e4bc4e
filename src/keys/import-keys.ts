import { takenError } from '../changes/member.ts'
import type { Context } from '../context.ts'
import { newEvent } from '../events/new-event.ts'
import { defined } from '../lib/values.ts'
import { ApiKeyError, type InputIssue } from '../model/errors.ts'
import type { Person } from '../model/key.ts'
import { NEW_KEY_STATE } from '../model/key-fields.ts'
import type { KeyRecord } from '../model/key-record.ts'
import type { ImportKey } from '../model/new-key.ts'
import { nextNoticeAt } from '../model/status.ts'
import type { Plan } from '../plans/entitlements.ts'
import { foreignHash } from '../secret/key-format.ts'
import { mintId } from '../secret/mint.ts'
import { newExpiry } from './create-key.ts'
import { findByHash } from './find-key-by-secret.ts'
import { externalKeyId, readKey } from './get-key.ts'
import { parseInput, refuseField } from './input/parse.ts'
import { restrictedTo } from './input/restrictions.ts'
import type { Parsed } from './input/schemas.ts'

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
      /** The key is stored, or with `dryRun` would be; or the workspace has it already. */
      readonly outcome: 'imported' | 'exists'
      /** The id of the key; `null` where a `dryRun` has stored none. */
      readonly id: string | null
    }
  | {
      /** The row cannot be imported; nothing was changed. */
      readonly outcome: 'invalid'
      /** Everything that is wrong with it. */
      readonly issues: readonly InputIssue[]
    }

/** Stores keys one row after another, each by itself. */
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
    results.push(Object.freeze(await importer.outcomeOf(row)))
  }
  return Object.freeze(results)
}

const ERASED: InputIssue = {
  path: ['workspaceId'],
  code: 'invalid_value',
  message: 'has been erased.',
}

/** What tells a key from all others: its hash and, where it has an `externalId`, its id. */
interface Identity {
  readonly workspaceId: string
  readonly hash: string
  readonly id: string | null
}

class Importer<S extends string> {
  readonly #context: Context<S>
  readonly #options: { readonly actor: Person; readonly dryRun: boolean }
  readonly #plans = new Map<string, Plan>()
  /** The hashes and ids that a dry run has seen, each with its workspace. */
  readonly #seen = new Map<string, string>()

  constructor(context: Context<S>, options: { readonly actor: Person; readonly dryRun: boolean }) {
    this.#context = context
    this.#options = options
  }

  /** What a row came to; its problems are an outcome, and everything else is thrown. */
  async outcomeOf(row: unknown): Promise<ImportedRow> {
    try {
      return await this.#store(parseInput(this.#context.schemas.importRow, row))
    } catch (error) {
      if (!(error instanceof ApiKeyError)) throw error
      const issues = error.code === 'workspace_erased' ? [ERASED] : error.issues
      return { outcome: 'invalid', issues }
    }
  }

  async #store({ digest, externalId, ...fields }: Parsed<'importRow', S>): Promise<ImportedRow> {
    const { workspaceId, format } = fields
    const hash = foreignHash(format, digest)
    const id = externalId === undefined ? null : externalKeyId(format, workspaceId, externalId)
    const identity = { workspaceId, hash, id }
    const earlier = await this.#find(identity)
    if (earlier !== null) return { outcome: 'exists', id: earlier.id }
    const record = this.#recordOf(fields, identity, await this.#planOf(workspaceId))
    if (this.#options.dryRun) return this.#dryOutcome(record)
    const since = await this.#insert(record, identity)
    return since === null
      ? { outcome: 'imported', id: record.id }
      : { outcome: 'exists', id: since.id }
  }

  #dryOutcome({ hash, id, workspaceId }: KeyRecord): ImportedRow {
    const seenIn = this.#seen.get(hash) ?? this.#seen.get(id)
    if (seenIn === workspaceId) return { outcome: 'exists', id: null }
    if (seenIn !== undefined) refuseElsewhere()
    for (const name of [hash, id]) this.#seen.set(name, workspaceId)
    return { outcome: 'imported', id: null }
  }

  async #planOf(workspaceId: string): Promise<Plan> {
    const plan = this.#plans.get(workspaceId) ?? (await this.#context.plans.fresh(workspaceId))
    this.#plans.set(workspaceId, plan)
    return plan
  }

  /** The plan limits the lifetime of the key; the active-key limit does not apply. */
  #recordOf(
    fields: Omit<Parsed<'importRow', S>, 'digest' | 'externalId'>,
    { hash, id }: Identity,
    plan: Plan,
  ): KeyRecord {
    const { expiresAt, createdAt, prefix, resources = {}, ...rest } = fields
    const nowMs = this.#context.calls.clockMs()
    const expiresAtMs = newExpiry(plan, nowMs, expiresAt)
    return {
      ...NEW_KEY_STATE,
      ...defined(rest),
      noticeAtMs: nextNoticeAt({ ...NEW_KEY_STATE, expiresAtMs }, nowMs),
      resources: restrictedTo({}, resources, ['resources']),
      hash,
      id: id ?? mintId('key'),
      prefix: prefix ?? fields.format,
      createdAtMs: createdAt?.getTime() ?? nowMs,
      updatedAtMs: nowMs,
      expiresAtMs,
    }
  }

  /** The key with this hash, or else with this id. */
  async #find({ workspaceId, hash, id }: Identity): Promise<KeyRecord | null> {
    const context = this.#context
    const byHash = await findByHash(context, hash)
    const byId = byHash === null && id !== null ? await readKey(context, workspaceId, id) : null
    const found = byHash ?? byId?.record ?? null
    if (found === null) return null
    if (found.workspaceId !== workspaceId) refuseElsewhere()
    // Another process may have stored it: this one may remember that there was none.
    context.caches.forget(found.hash)
    return found
  }

  /** `null`, or the key that another process has stored meanwhile. */
  async #insert(record: KeyRecord, identity: Identity): Promise<KeyRecord | null> {
    const { caches, changes, calls, announce } = this.#context
    const change = { actor: this.#options.actor, atMs: record.updatedAtMs }
    const event = newEvent('api_key.imported', record, change, { format: String(record.format) })
    const { answer: isStored } = await changes.make({
      operation: 'importKeys',
      workspaceId: record.workspaceId,
      ids: [],
      ifTaken: false,
      decide: ({ isErased }) => {
        if (isErased) throw new ApiKeyError('workspace_erased')
        return { answer: true, step: { keys: [record], events: [event], adds: 1 } }
      },
    })
    caches.forget(record.hash)
    if (isStored) {
      announce(event)
      return null
    }
    const since = await this.#find(identity)
    if (since === null) throw calls.fault('importKeys', takenError())
    return since
  }
}

function refuseElsewhere(): void {
  const message = 'belongs to a key of another workspace.'
  refuseField(['digest'], { code: 'repeated', message })
}
