import type { Context } from '../context.ts'
import type { Grantable } from '../model/grant.ts'
import type { ApiKey } from '../model/key.ts'
import { isWithin, takeCeiling } from '../restrictions/grant.ts'
import { findKey } from './find-key.ts'
import { parseInput } from './input/parse.ts'

/**
 * Which key to read.
 *
 * @inline
 */
export interface GetKeyQuery<S extends string = string> {
  /** The workspace of the key; a key of another one is not found. */
  readonly workspaceId: string
  /** The id of the key, not its secret or prefix. */
  readonly id: string
  /** A grant, for `withinGrant` of the key. Default: none. */
  readonly grantable?: Grantable<S>
}

/** Reads one key, whatever its status and the plan. */
export async function getKey<S extends string>(
  context: Context<S>,
  input: GetKeyQuery<S>,
): Promise<ApiKey<S>> {
  const { ceiling, given } = takeCeiling(input, context.settings)
  const found = await findKey(context, parseInput(context.schemas.get, given))
  return context.records.key(found, context.calls.clockMs(), isWithin(ceiling))
}
