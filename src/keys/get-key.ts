import type { Context } from '../context.ts'
import type { ApiKey } from '../model/key.ts'
import { findKey } from './find-key.ts'
import { parseInput } from './input/parse.ts'

/** Which key to read. */
export interface GetKeyQuery {
  /** The workspace of the key; a key of another one is not found. */
  readonly workspaceId: string
  /** The id of the key, not its secret or prefix. */
  readonly id: string
}

/** Reads one key, whatever its status and the plan. */
export async function getKey<S extends string>(
  context: Context<S>,
  input: GetKeyQuery,
): Promise<ApiKey<S>> {
  const found = await findKey(context, parseInput(context.schemas.get, input))
  return context.records.key(found, context.calls.clockMs())
}
