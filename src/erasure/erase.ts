import type { Context } from '../context.ts'
import { parseInput } from '../keys/input/parse.ts'
import { isReservedId } from '../model/identifier.ts'
import { BATCH, type ErasedCounts, inBatches } from './in-batches.ts'

/** Puts the pseudonym in the place of a person, in every workspace. */
export async function erasePerson<S extends string>(
  context: Context<S>,
  input: unknown,
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

/** Revokes and deletes the keys of a workspace and closes it for good. */
export async function eraseWorkspace<S extends string>(
  context: Context<S>,
  input: unknown,
): Promise<ErasedCounts> {
  const { workspaceId } = parseInput(context.schemas.eraseWorkspace, input)
  const { storage } = context.settings
  const erasure = { workspaceId, erasedAtMs: context.calls.clockMs(), limit: BATCH }
  return inBatches(context, {
    operation: 'eraseWorkspace',
    step: (call) => storage.eraseWorkspace(erasure, call),
  })
}
