import type { Context } from '../context.ts'
import { pageAnswer } from '../storage/answers.ts'
import type { ApiKey, Environment, KeyStatus } from './api-key.ts'
import { unknownCursor } from './cursor.ts'
import { propertyOf } from './input/own-data.ts'
import { parseInput } from './input/parse.ts'
import { isKeyId } from './key-id.ts'

/** Which keys of a workspace to list. */
export interface ListKeysQuery {
  /** Whose keys. */
  readonly workspaceId: string
  /** Only keys with this status. Default: any. */
  readonly status?: KeyStatus | undefined
  /** Only keys for this environment. Default: both. */
  readonly environment?: Environment | undefined
  /** The `nextCursor` of the page before; none for the first page. */
  readonly cursor?: string | null | undefined
  /** Keys in a page: 1 to 200, default 50. */
  readonly limit?: number | undefined
}

/** One page of a workspace's keys, newest first, and what its plan allows. */
export interface KeyList<S extends string = string> {
  /** The keys of this page, newest first. */
  readonly keys: readonly ApiKey<S>[]
  /** Give it as `cursor` to get the next page; `null` on the last. */
  readonly nextCursor: string | null
  /** How many keys of the workspace are active or paused, whatever the filters. */
  readonly activeKeys: number
  /** How many may be; `null` is unlimited. */
  readonly activeKeyLimit: number | null
  /** How many seconds a new key may live; `null` for ever. */
  readonly maxLifetimeSeconds: number | null
  /** The longest overlap of a rotation, in seconds. */
  readonly maxOverlapSeconds: number
  /** Whether the plan includes the public API. */
  readonly publicApi: boolean
}

/** Lists keys, revoked ones included, whatever the plan. */
export async function listKeys<S extends string>(
  context: Context<S>,
  input: ListKeysQuery,
): Promise<KeyList<S>> {
  const asked = parseInput(context.schemas.list, input)
  const { workspaceId, limit } = asked
  const cursor = propertyOf(asked, 'cursor') ?? null
  if (cursor !== null && !isKeyId(cursor)) throw unknownCursor()
  const { storage } = context.settings
  const query = {
    status: propertyOf(asked, 'status') ?? null,
    environment: propertyOf(asked, 'environment') ?? null,
    atMs: context.clockMs(),
    after: cursor,
    limit,
  }
  const [page, { rateLimit: _rateLimit, ...plan }] = await Promise.all([
    context.ask(
      'list',
      (call) => storage.list(workspaceId, query, call),
      (page) => pageAnswer(page, workspaceId),
    ),
    context.entitlements(workspaceId),
  ])
  if (page === null) throw unknownCursor()
  const keys = page.records.map((record) => context.records.key(record, query.atMs))
  return Object.freeze({
    keys: Object.freeze(keys),
    nextCursor: page.more ? (keys.at(-1)?.id ?? null) : null,
    activeKeys: page.activeKeys,
    ...plan,
  })
}
