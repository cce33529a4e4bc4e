import type { Context } from '../context.ts'
import { nextTurn } from '../lib/within-time.ts'
import type { ApiKey, Environment, KeyStatus, Person } from '../model/key.ts'
import type { RevocationReason } from '../model/revocation-reason.ts'
import type { HeldKey, KeyFilters, KeyPage } from '../storage/contract.ts'
import { matches } from '../storage/matches.ts'
import { DAY_MS } from '../usage/periods.ts'
import { readKey } from './get-key.ts'
import { parseInput } from './input/parse.ts'
import type { Parsed } from './input/schemas.ts'
import { makeOne, waitForWorkspace } from './make-change.ts'
import { pageOf } from './read-page.ts'
import { type Revoker, revocationOf } from './revoke-key.ts'

const STEP = 100

/** The statuses of keys that can be revoked and still matter. */
export const LIVING: readonly KeyStatus[] = ['active', 'paused', 'retiring']

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
export interface RevokeKeysInput<S extends string = string> extends RevocationFilters<S> {
  /** Whose keys. */
  readonly workspaceId: string
  /** Who does it: the actor of each audit event. */
  readonly actor: Person
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
    await nextTurn()
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
  /** Replacements made since the start, and what they replace, by id. */
  readonly #made = new Map<string, HeldKey | null>()

  constructor(context: Context<S>, parts: BulkParts) {
    this.#context = context
    this.#parts = parts
  }

  /** The oldest keys that match, at most `limit`. */
  async *first(limit: number): AsyncGenerator<readonly HeldKey[]> {
    const { keys, more } = await this.#page(this.#parts.query, null, limit)
    this.more = more
    yield keys
  }

  /**
   * All keys that match and were there at the start, and those that replaced one of them since: a replacement
   * has a later place than what it replaces, so it is met later.
   */
  async *all(isDryRun: boolean): AsyncGenerator<readonly HeldKey[]> {
    const { query } = this.#parts
    const [latest] = (await this.#page({ ...ANY, atMs: query.atMs }, null, 1, false)).keys
    this.#lastPlace = latest?.place ?? 0
    for await (const { keys, more } of this.#pages(query, null)) {
      const old = keys.filter(({ place }) => place <= this.#lastPlace)
      yield old
      if (!more || old.length < keys.length) break
    }
    if (isDryRun) return
    const living = { ...ANY, status: LIVING, atMs: query.atMs }
    for await (const { keys } of this.#pages(living, this.#lastPlace)) {
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
        const filters = isReplacement ? { ...ANY, status: LIVING } : query
        if (current === undefined || !matches(current, { ...filters, atMs })) {
          return { answer: null, step: null }
        }
        return { answer: current, step: revocationOf(current.record, { ...by, atMs, calledAtMs }) }
      },
    })
  }

  /** Whether a key replaces, maybe through others, one that was there at the start and matches. */
  async #replacesMatch(key: HeldKey): Promise<boolean> {
    let root: HeldKey | null = key
    while (root !== null && root.place > this.#lastPlace) {
      this.#made.set(root.record.id, root)
      root = root.record.replaces === null ? null : await this.#read(root.record.replaces)
    }
    return root !== null && matches(root, { ...this.#parts.query, status: null })
  }

  async #read(id: string): Promise<HeldKey | null> {
    const known = this.#made.get(id)
    if (known !== undefined) return known
    const found = await readKey(this.#context, this.#parts.workspaceId, id)
    this.#made.set(id, found)
    return found
  }

  /** Pages until one is empty: the last keys of a page may have been rotated meanwhile. */
  async *#pages(filters: KeyFilters, start: number | null): AsyncGenerator<KeyPage> {
    let after = start
    for (;;) {
      const page: KeyPage = await this.#page(filters, after, STEP)
      const last = page.keys.at(-1)
      if (last === undefined) return
      yield page
      after = last.place
    }
  }

  #page(filters: KeyFilters, after: number | null, limit: number, oldestFirst = true) {
    const query = { ...filters, after, limit, oldestFirst, countUpTo: null }
    return pageOf(this.#context, this.#parts.workspaceId, query)
  }
}

const ANY = { status: null, environment: null } as const
