import type { Context } from '../context.ts'
import { DAY_MS } from '../lib/values.ts'
import type { Grantable } from '../model/grant.ts'
import type { ApiKey, Environment, KeyStatus } from '../model/key.ts'
import { isWithin, takeCeiling } from '../restrictions/grant.ts'
import { parseInput } from './input/parse.ts'
import type { Parsed } from './input/schemas.ts'
import { cursorAt, placeAt, readPage } from './read-page.ts'

/** Up to how many keys are counted exactly, unless the limit of the plan is higher. */
const COUNTED_UP_TO = 1_000

/** Which keys of a workspace to list. A key must pass every filter. @inline */
export interface ListKeysQuery<S extends string = string> {
  /** Whose keys. */
  readonly workspaceId: string
  /** Only keys with this status, or with one of these. Default: any. */
  readonly status?: KeyStatus | readonly KeyStatus[] | undefined
  /** Only keys for this environment. Default: both. */
  readonly environment?: Environment | undefined
  /** Only keys with this scope. Default: any. */
  readonly scope?: S | undefined
  /** Only keys that the person with this id created. Default: anybody. */
  readonly creatorId?: string | undefined
  /** Only keys that reach this resource, `{ type: id }`: those that list it and those that are not restricted. */
  readonly resource?: Readonly<Record<string, string>> | undefined
  /** `createdAt` for the oldest first. Default `-createdAt`: the newest first. */
  readonly sort?: 'createdAt' | '-createdAt' | undefined
  /**
   * Only keys with each of these words in the name, the creator's name or a scope: 1 to 120 code points,
   * ignoring case, diacritics and variant forms of Arabic. A page reads 10,000 keys at most, so it may be
   * short.
   */
  readonly search?: string | undefined
  /** Only keys not used for this many days, 1 to 3,660; one that was never used counts from its creation. */
  readonly unusedForDays?: number | undefined
  /** The `nextCursor` of the page before, with the same filters; none for the first page. */
  readonly cursor?: string | null | undefined
  /** A grant, for `withinGrant` of each key. Default: none. */
  readonly grantable?: Grantable<S> | undefined
  /** Keys in a page: 1 to 200, default 50. */
  readonly limit?: number | undefined
}

/** One page of a workspace's keys, newest first, and what its plan allows. */
export interface KeyList<S extends string = string> {
  /** The keys of this page, newest first. */
  readonly keys: readonly ApiKey<S>[]
  /** Give it as `cursor` to get the next page; `null` on the last. */
  readonly nextCursor: string | null
  /** On a first page without `search`: how many keys match the filters. Otherwise `null`. */
  readonly total: number | null
  /** How many keys of the workspace are active or paused, whatever the filters. */
  readonly activeKeys: number
  /** Counting stops here: a count of one more says that there are more. 1,000, or the limit of the plan if that is higher. */
  readonly countedUpTo: number
  /** How many may be; `null` is unlimited. */
  readonly activeKeyLimit: number | null
  /** How many seconds a new key may live; `null` for ever. */
  readonly maxLifetimeSeconds: number | null
  /** The longest overlap of a rotation, in seconds. */
  readonly maxOverlapSeconds: number
  /** Whether the plan includes the public API. */
  readonly publicApi: boolean
}

export async function listKeys<S extends string>(
  context: Context<S>,
  input: ListKeysQuery<S>,
): Promise<KeyList<S>> {
  const { ceiling, given } = takeCeiling(input, context.settings)
  // A polluted prototype must not set a filter.
  const parsed: Parsed<'list', S> = Object.assign(
    Object.create(null),
    parseInput(context.schemas.list, given),
  )
  const { workspaceId, limit, cursor, unusedForDays, resource, sort } = parsed
  const { status = null, environment = null, scope, creatorId, search } = parsed
  const filters = { ...parsed, limit: undefined, cursor: undefined }
  const atMs = context.calls.clockMs()
  const query = {
    ...{ status, environment, scope, creatorId, search, atMs, limit },
    resource: resource && ({ ...resource, match: 'reaches' } as const),
    oldestFirst: sort === 'createdAt',
    notUsedAfterMs: unusedForDays === undefined ? undefined : atMs - unusedForDays * DAY_MS,
    after: cursor === null ? null : placeAt(cursor, filters),
  }
  const { rateLimit: _rateLimit, ...plan } = await context.plans.fresh(workspaceId)
  const countedUpTo = Math.max(COUNTED_UP_TO, plan.activeKeyLimit ?? 0)
  const page = await readPage(context, workspaceId, { ...query, countUpTo: countedUpTo })
  const { keys, after, activeKeys, total } = page
  return Object.freeze({
    keys: Object.freeze(keys.map((key) => context.records.key(key, atMs, isWithin(ceiling)))),
    nextCursor: after === null ? null : cursorAt(after, filters),
    total,
    activeKeys: Number(activeKeys),
    countedUpTo,
    ...plan,
  })
}
