import type { Context } from '../context.ts'
import { DAY_MS } from '../lib/values.ts'
import type { ApiKey, Environment, KeyStatus } from '../model/key.ts'
import type { RevocationReason } from '../model/revocation-reason.ts'
import type { HeldKey, KeyFilters } from '../storage/contract.ts'
import { matches } from '../storage/methods.ts'
import { readKey } from './get-key.ts'
import { parseInput } from './input/parse.ts'
import type { Parsed } from './input/schemas.ts'
import { type KeyAction, makeOne, waitForWorkspace } from './make-change.ts'
import { pageOf, pagesOf } from './read-page.ts'
import { type Revoker, revocationOf } from './revoke-key.ts'

const LIVING: readonly KeyStatus[] = ['active', 'paused', 'retiring']

/** The filters that every key passes which can be revoked and still matters. */
export const ANY_LIVING = { status: LIVING, environment: null } as const

/** Which keys of a workspace to revoke. A key must pass every filter, and there must be one at least. */
export interface RevokeKeysFilter<S extends string = string> {
  /** Keys that the person with this id created. */
  readonly creatorId?: string
  /** Keys of this environment. */
  readonly environment?: Environment
  /** Keys with this scope. */
  readonly scope?: S
  /** Keys whose list of the type is this id alone: `{ type: id }`. Never a key that is not restricted. */
  readonly resource?: Readonly<Record<string, string>>
  /** Keys not used for this many days, 1 to 3,660; one that was never used counts from its creation. */
  readonly unusedForDays?: number
  /** Keys with one of these ids, at most 1,000; an empty list matches none. */
  readonly ids?: readonly string[]
}

/** Which keys to revoke, and why. @inline */
export interface RevocationFilters<S extends string = string> extends RevokeKeysFilter<S> {
  /** Why, for the audit events. Default: not said. */
  readonly reason?: RevocationReason
  /** Whether to say which keys would be revoked and to change nothing. Default `false`. */
  readonly dryRun?: boolean
}

/** Which keys to revoke, who does it, and why. @inline */
export interface RevokeKeysInput<S extends string = string>
  extends RevocationFilters<S>,
    Omit<KeyAction, 'id'> {
  /** At most how many keys, 1 to 200. Default: all that were there at the start. */
  readonly limit?: number
}

/** What `revokeKeys` did, or would do. @inline */
export type RevokedKeys<S extends string = string> = {
  /** How many keys were revoked; with `dryRun`, how many would be. */
  readonly revoked: number
  /** How many matched and then did not any more, or had stopped already. */
  readonly skipped: number
  /** The keys that were revoked, as they stood before. */
  readonly keys: readonly ApiKey<S>[]
  /** Whether others match: only with `limit`. */
  readonly more: boolean
}

/** Revokes all keys that pass the filters, oldest first, in steps that commit one by one. */
export async function revokeKeys<S extends string>(
  context: Context<S>,
  input: RevokeKeysInput<S>,
): Promise<RevokedKeys<S>> {
  const { workspaceId, actor, reason, dryRun, limit, ...filters } = parseInput(
    context.schemas.revokeKeys,
    input,
  )
  const atMs = context.calls.clockMs()
  const query = queryOf(filters, atMs)
  const bulk = new BulkRevocation(context, {
    workspaceId,
    query,
    by: { actor, reason: reason ?? null },
  })
  const found = limit === undefined ? bulk.all(dryRun) : bulk.first(limit)
  const keys: ApiKey<S>[] = []
  let skipped = 0
  for await (const page of found) {
    const done = dryRun ? page : await bulk.revoke(page)
    keys.push(...done.map((key) => context.records.key(key, atMs)))
    skipped += page.length - done.length
  }
  if (!dryRun) await waitForWorkspace(context, { operation: 'revokeKeys', workspaceId })
  return Object.freeze({
    ...{ revoked: keys.length, skipped },
    ...{ keys: Object.freeze(keys), more: bulk.more },
  })
}

type Filters = Omit<Parsed<'bulk'>, 'reason' | 'dryRun'>

function queryOf({ unusedForDays, environment, resource, ...filters }: Filters, atMs: number) {
  return {
    ...filters,
    environment: environment ?? null,
    resource: resource && ({ ...resource, match: 'only' } as const),
    notUsedAfterMs: unusedForDays === undefined ? undefined : atMs - unusedForDays * DAY_MS,
    status: LIVING,
    atMs,
  }
}

interface BulkParts {
  readonly workspaceId: string
  readonly query: KeyFilters
  readonly by: Revoker
}

/** The keys that one call of `revokeKeys` is about. */
class BulkRevocation<S extends string> {
  /** Whether keys that match were left out. */
  more = false
  readonly #context: Context<S>
  readonly #parts: BulkParts
  /** The place of the latest key at the start. */
  #lastPlace = 0

  constructor(context: Context<S>, parts: BulkParts) {
    this.#context = context
    this.#parts = parts
  }

  /** The oldest keys that match, at most `limit`. */
  async *first(limit: number): AsyncGenerator<readonly HeldKey[]> {
    const { keys, more } = await this.#page(this.#parts.query, { limit, oldestFirst: true })
    this.more = more
    yield keys
  }

  /** All keys that match and were there at the start, and those that replaced one of them since. */
  async *all(isDryRun: boolean): AsyncGenerator<readonly HeldKey[]> {
    const { query, workspaceId } = this.#parts
    const any = { status: null, environment: null, atMs: query.atMs }
    const [latest] = (await this.#page(any, { limit: 1, oldestFirst: false })).keys
    this.#lastPlace = latest?.place ?? 0
    for await (const { keys, more } of pagesOf(this.#context, workspaceId, query)) {
      const old = keys.filter(({ place }) => place <= this.#lastPlace)
      yield old
      if (!more || old.length < keys.length) break
    }
    if (isDryRun) return
    const living = { ...ANY_LIVING, atMs: query.atMs }
    for await (const { keys } of pagesOf(this.#context, workspaceId, living, this.#lastPlace)) {
      const replacements: HeldKey[] = []
      for (const key of keys) if (await this.#replacesMatch(key)) replacements.push(key)
      yield replacements
    }
  }

  /** Revokes keys and answers which, as they were before. One that was changed meanwhile is looked at again. */
  async revoke(keys: readonly HeldKey[]): Promise<readonly HeldKey[]> {
    const calledAtMs = this.#context.calls.clockMs()
    const done = await Promise.all(keys.map((key) => this.#revoke(key, calledAtMs)))
    return done.filter((key) => key !== null)
  }

  /** The key as it was revoked; `null` if it does not match any more. */
  async #revoke({ record: { id }, place }: HeldKey, calledAtMs: number): Promise<HeldKey | null> {
    const { workspaceId, query, by } = this.#parts
    const isReplacement = place > this.#lastPlace && this.#lastPlace > 0
    return makeOne<S, HeldKey | null>(this.#context, {
      operation: 'revokeKeys',
      workspaceId,
      ids: [id],
      decide: (workspace) => {
        const { atMs } = workspace
        const current = workspace.key(id)
        const filters = isReplacement ? ANY_LIVING : query
        if (current === undefined || !matches(current, { ...filters, atMs })) {
          return { answer: null, step: null }
        }
        return { answer: current, step: revocationOf(current.record, { ...by, atMs, calledAtMs }) }
      },
    })
  }

  /** Whether a key replaces, maybe through others, one that was there at the start and matches. */
  async #replacesMatch(key: HeldKey): Promise<boolean> {
    const { workspaceId, query } = this.#parts
    let root: HeldKey | null = key
    while (root !== null && root.place > this.#lastPlace) {
      const { replaces }: HeldKey['record'] = root.record
      root = replaces === null ? null : await readKey(this.#context, workspaceId, replaces)
    }
    return root !== null && matches(root, { ...query, status: null })
  }

  #page(filters: KeyFilters, page: { readonly limit: number; readonly oldestFirst: boolean }) {
    const query = { ...filters, ...page, after: null, countUpTo: null }
    return pageOf(this.#context, this.#parts.workspaceId, query)
  }
}
