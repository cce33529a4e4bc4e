import type { Context } from '../context.ts'
import { revocationEvent } from '../events/new-event.ts'
import { nextTurn } from '../lib/next-turn.ts'
import { ApiKeyError } from '../model/errors.ts'
import type { ApiKey, Environment, KeyStatus, Person } from '../model/key.ts'
import type { StoredKey } from '../model/key-record.ts'
import type { RevocationReason } from '../model/revocation-reason.ts'
import { statusAt } from '../model/status.ts'
import { pageAnswer, revokedManyAnswer } from '../storage/answers.ts'
import type { KeyPage, KeyPageQuery } from '../storage/contract.ts'
import { DAY_MS } from '../usage/periods.ts'
import { parseInput } from './input/parse.ts'
import type { Parsed } from './input/schemas.ts'

/** Keys of one step: about 20 ms in SQLite, which blocks the process. */
const STEP = 200

/** How often a step is tried with keys that others change at the same time. */
const MAX_ATTEMPTS = 20

/** The statuses of keys that can be revoked and still matter. */
const LIVING: readonly KeyStatus[] = ['active', 'paused', 'retiring']

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

/**
 * Which keys to revoke, and why.
 *
 * @inline
 */
export interface RevocationFilters<S extends string = string> extends RevokeKeysFilter<S> {
  /** Why, for the audit events. Default: not said. */
  readonly reason?: RevocationReason
  /** Whether to say which keys would be revoked and to change nothing. Default `false`. */
  readonly dryRun?: boolean
}

/**
 * Which keys to revoke, who does it, and why.
 *
 * @inline
 */
export interface RevokeKeysInput<S extends string = string> extends RevocationFilters<S> {
  /** Whose keys. */
  readonly workspaceId: string
  /** Who does it: the actor of each audit event. */
  readonly actor: Person
  /** At most how many keys, 1 to 200. Default: all that were there at the start. */
  readonly limit?: number
}

/**
 * What `revokeKeys` did, or would do.
 *
 * @inline
 */
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

/** Revokes all keys that pass the filters, in steps that commit one by one. */
export async function revokeKeys<S extends string>(
  context: Context<S>,
  input: RevokeKeysInput<S>,
): Promise<RevokedKeys<S>> {
  const {
    workspaceId,
    actor,
    reason = null,
    dryRun,
    limit,
    ...filters
  } = parseInput(context.schemas.revokeKeys, input)
  const atMs = context.calls.clockMs()
  const query = { ...queryOf(filters, atMs), limit: limit ?? STEP }
  const run = new Revocation(context, { workspaceId, actor, reason, query })
  const keys: ApiKey<S>[] = []
  let [skipped, after, more]: [number, string | null, boolean] = [0, null, true]
  while (more && (limit === undefined || after === null)) {
    const page = await run.read(after)
    const done = dryRun ? page.records : await run.revoke(page.records)
    keys.push(...done.map((record) => context.records.key(record, atMs)))
    skipped += page.records.length - done.length
    after = page.records.at(-1)?.id ?? after
    more = page.more
    await nextTurn()
  }
  // One wait for all keys, those included that a killed call revoked before this one.
  if (!dryRun) await context.caches.waitForWorkspace(workspaceId)
  return Object.freeze({ revoked: keys.length, skipped, keys: Object.freeze(keys), more })
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

/** What a revocation of several keys works with. */
interface RevocationParts {
  readonly workspaceId: string
  readonly actor: Person
  readonly reason: RevocationReason | null
  readonly query: Omit<KeyPageQuery, 'after'>
}

/** One run over the keys of a workspace. */
class Revocation<S extends string> {
  readonly #context: Context<S>
  readonly #parts: RevocationParts

  constructor(context: Context<S>, parts: RevocationParts) {
    this.#context = context
    this.#parts = parts
  }

  /** The next keys that match; those that were created since the first page are not among them. */
  async read(after: string | null, ids = this.#parts.query.ids): Promise<KeyPage> {
    const { calls, settings } = this.#context
    const { workspaceId, query } = this.#parts
    const page = await calls.run(
      'list',
      (call) => settings.storage.list(workspaceId, { ...query, ids, after }, call),
      (answer) => pageAnswer(answer, workspaceId),
    )
    return page ?? { records: [], more: false, activeKeys: 0, total: null }
  }

  /** Revokes keys and answers which. One that was changed meanwhile is looked at again. */
  async revoke(records: readonly StoredKey[]): Promise<readonly StoredKey[]> {
    const done: StoredKey[] = []
    let left = records
    for (let attempt = 0; attempt < MAX_ATTEMPTS && left.length > 0; attempt += 1) {
      const revoked = await this.#step(left)
      done.push(...left.filter(({ id }) => revoked.has(id)))
      const missed = left.filter(({ id }) => !revoked.has(id)).map(({ id }) => id)
      left = missed.length === 0 ? [] : (await this.read(null, missed)).records
    }
    // To skip a key that still matches would leave it alive.
    if (left.length > 0) throw new ApiKeyError('conflict')
    return done
  }

  async #step(records: readonly StoredKey[]): Promise<ReadonlySet<string>> {
    const { calls, settings } = this.#context
    const { workspaceId, actor, reason, query } = this.#parts
    const revokedAtMs = calls.clockMs()
    const keys = records.map((record) => {
      const endedOverlap = statusAt(record, revokedAtMs) === 'retiring'
      const event = revocationEvent(record, { actor, atMs: revokedAtMs, endedOverlap, reason })
      return { id: record.id, version: record.version, event }
    })
    const { notUsedAfterMs } = query
    const change = { workspaceId, revokedAtMs, notUsedAfterMs, keys }
    const outcome = await calls.run(
      'revokeMany',
      (call) => settings.storage.revokeMany(change, call),
      (answer) => revokedManyAnswer(answer, change),
    )
    const revoked = new Set(outcome.revoked)
    for (const { id, event } of keys) if (revoked.has(id)) this.#context.announce(event)
    return revoked
  }
}
