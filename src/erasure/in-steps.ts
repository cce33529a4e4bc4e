import type { Context } from '../context.ts'
import { nextTurn } from '../lib/next-turn.ts'
import type { StorageCall } from '../lib/within-time.ts'
import { progressAnswer } from '../storage/answers.ts'
import type { Progress } from '../storage/contract.ts'

/** How many keys and how many events one step takes: about 20 ms in SQLite, which blocks the process. */
export const BATCH = 200

/** What was erased or deleted. @inline */
export type ErasedCounts = {
  /** How many keys. */
  readonly keys: number
  /** How many audit events. */
  readonly events: number
}

/**
 * Repeats a step of the storage until nothing is left. Each step commits on its own, so a call after a crash
 * continues where the last one stopped.
 */
export async function inSteps<S extends string>(
  { calls }: Context<S>,
  operation: 'renameActor' | 'deleteWorkspace' | 'purge',
  step: (call: StorageCall) => Promise<Progress>,
): Promise<ErasedCounts & { readonly isLogged: boolean }> {
  let [keys, events] = [0, 0]
  for (;;) {
    const outcome = await calls.run(operation, step, progressAnswer)
    keys += outcome.keys
    events += outcome.events
    if (!outcome.more) return { keys, events, isLogged: outcome.isLogged === true }
    // A storage that answers synchronously would block the process until the last step.
    await nextTurn()
  }
}
