import type { Context } from '../context.ts'
import { parseInput } from '../keys/input/parse.ts'
import { isReservedId } from '../model/identifier.ts'
import { BATCH, type ErasedCounts, inBatches } from './in-batches.ts'

/** Whom to erase. */
export interface ErasePersonInput {
  /** The `id` under which the person created, changed or paused keys. */
  readonly personId: string
}

/** Puts the pseudonym in the place of a person, in every workspace. */
export async function erasePerson<S extends string>(
  context: Context<S>,
  input: ErasePersonInput,
): Promise<ErasedCounts> {
  const { personId } = parseInput(context.schemas.erasePerson, input)
  // Nobody is behind these ids.
  if (isReservedId(personId)) return Object.freeze({ keys: 0, events: 0 })
  const { storage } = context.settings
  return inBatches(context, {
    operation: 'erasePerson',
    step: (call) => storage.erasePerson({ personId, limit: BATCH }, call),
  })
}
