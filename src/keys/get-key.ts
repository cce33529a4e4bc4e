import { sha256Hex } from '#sha256'
import type { Context } from '../context.ts'
import { ApiKeyError } from '../model/errors.ts'
import type { Grantable } from '../model/grant.ts'
import type { ApiKey } from '../model/key.ts'
import { isWithin, takeCeiling } from '../restrictions/grant.ts'
import { viewAnswer } from '../storage/answers.ts'
import type { HeldKey } from '../storage/contract.ts'
import { parseInput } from './input/parse.ts'

/** Which key to read. @inline */
export interface GetKeyQuery<S extends string = string> {
  /** The workspace of the key; a key of another one is not found. */
  readonly workspaceId: string
  /** The id of the key, not its secret or prefix. */
  readonly id: string
  /** A grant, for `withinGrant` of the key. Default: none. */
  readonly grantable?: Grantable<S>
}

export async function getKey<S extends string>(
  context: Context<S>,
  input: GetKeyQuery<S>,
): Promise<ApiKey<S>> {
  const { ceiling, given } = takeCeiling(input, context.settings)
  const found = await findKey(context, parseInput(context.schemas.get, given))
  return context.records.key(found, context.calls.clockMs(), isWithin(ceiling))
}

/**
 * The key with this id in this workspace. Throws `key_not_found`; for text that cannot be an id, without
 * calling the storage.
 */
export async function findKey<S extends string>(
  context: Context<S>,
  { workspaceId, id }: { readonly workspaceId: string; readonly id: string },
): Promise<HeldKey> {
  assertKeyId(id)
  const found = await readKey(context, workspaceId, id)
  if (found === null) throw new ApiKeyError('key_not_found')
  return found
}

export function assertKeyId(id: string): void {
  if (!KEY_ID.test(id)) throw new ApiKeyError('key_not_found')
}

export async function readKey<S extends string>(
  { calls, settings: { storage } }: Context<S>,
  workspaceId: string,
  id: string,
): Promise<HeldKey | null> {
  const query = { workspaceId, ids: [id], eventIds: [], countAtMs: null, countUpTo: null }
  return calls.run(
    'read',
    (call) => storage.read(query, call),
    (answer) => viewAnswer(answer, query).keys[0] ?? null,
  )
}

const KEY_ID = /^key_[A-Za-z0-9_-]{21}$/

/**
 * The id of a key that another system identifies: one for each format, workspace and external id. The storage
 * lets no second key have it, which is what holds when processes import one key at once.
 */
export function externalKeyId(format: string, workspaceId: string, externalId: string): string {
  // 21 hex digits are 84 bits. No digest of a format is hashed in this domain.
  const hash = sha256Hex(`miftah external id:${JSON.stringify([format, workspaceId, externalId])}`)
  return `key_${hash.slice(0, 21)}`
}
