import type { Context } from '../context.ts'
import { nextTurn } from '../lib/next-turn.ts'
import type { StorageCall } from '../lib/within-time.ts'
import { erasureAnswer } from '../storage/answers.ts'
import type { ErasureOutcome } from '../storage/contract.ts'

/** How many keys and how many events one step takes: about 20 ms in SQLite, which blocks the process. */
export const BATCH = 200

/**
 * What was erased or deleted.
 *
 * @inline
 */
export type ErasedCounts = {
  /** How many keys. */
  readonly keys: number
  /** How many audit events. */
  readonly events: number
}

/** A storage verb that does a batch at a time. */
interface Batches {
  /** The verb, for faults. */
  readonly operation: 'erasePerson' | 'eraseWorkspace' | 'purge'
  readonly step: (call: StorageCall) => Promise<ErasureOutcome>
}

/**
 * Repeats a step until nothing is left, then waits until no process remembers what was there before.
 * Each step commits on its own, so a call after a crash continues where the last one stopped.
 */
export async function inBatches<S extends string>(
  context: Context<S>,
  { operation, step }: Batches,
): Promise<ErasedCounts> {
  const total = { keys: 0, events: 0 }
  for (;;) {
    const outcome = await context.calls.run(operation, step, erasureAnswer)
    total.keys += outcome.keys
    total.events += outcome.events
    if (!outcome.more) {
      await context.caches.waitForAll(outcome)
      return Object.freeze(total)
    }
    // A storage that answers synchronously would block the process until the last step.
    await nextTurn()
  }
}
