import type { Context } from '../context.ts'
import { parseInput } from '../keys/input/parse.ts'
import { BATCH, type ErasedCounts, inBatches } from './in-batches.ts'

/** Which workspace to erase. */
export interface EraseWorkspaceInput {
  /** The workspace; it needs no keys. */
  readonly workspaceId: string
}

/** Revokes and deletes the keys of a workspace and closes it for good. */
export async function eraseWorkspace<S extends string>(
  context: Context<S>,
  input: EraseWorkspaceInput,
): Promise<ErasedCounts> {
  const { workspaceId } = parseInput(context.schemas.eraseWorkspace, input)
  const { storage } = context.settings
  const erasure = { workspaceId, erasedAtMs: context.calls.clockMs(), limit: BATCH }
  return inBatches(context, {
    operation: 'eraseWorkspace',
    step: (call) => storage.eraseWorkspace(erasure, call),
  })
}
