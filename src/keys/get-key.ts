import type { Context } from '../context.ts'
import type { ApiKey } from '../model/key.ts'
import { isWithin, takeCeiling } from '../restrictions/grant.ts'
import { findKey } from './find-key.ts'
import { parseInput } from './input/parse.ts'

/** Reads one key, whatever its status and the plan. */
export async function getKey<S extends string>(
  context: Context<S>,
  input: unknown,
): Promise<ApiKey<S>> {
  const { ceiling, given } = takeCeiling(input, context.settings)
  const found = await findKey(context, parseInput(context.schemas.get, given))
  return context.records.key(found, context.calls.clockMs(), isWithin(ceiling))
}
