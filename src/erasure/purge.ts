import type { Context } from '../context.ts'
import { parseInput } from '../keys/input/parse.ts'
import { BATCH, type ErasedCounts, inSteps } from './in-steps.ts'

/** What to delete; at least one of the two. @inline */
export interface PurgeInput {
  /**
   * Deletes the keys, with their usage, that stopped for good before this instant, which is at least an hour
   * ago. Default: no keys.
   */
  readonly endedBefore?: Date | undefined
  /**
   * Deletes the events from before this instant, which is at least an hour ago, that a relay has delivered.
   * Default: no events.
   */
  readonly eventsBefore?: Date | undefined
}

export async function purge<S extends string>(
  context: Context<S>,
  input: PurgeInput,
): Promise<ErasedCounts> {
  const { endedBefore, eventsBefore } = parseInput(context.schemas.purge, input)
  const endedBeforeMs = endedBefore?.getTime() ?? null
  const eventsBeforeMs = eventsBefore?.getTime() ?? null
  const { storage } = context.settings
  const query = { endedBeforeMs, eventsBeforeMs, limit: BATCH }
  const { keys, events, isLogged } = await inSteps(context, 'purge', (call) =>
    storage.purge(query, call),
  )
  await context.caches.waitForAll(isLogged)
  return Object.freeze({ keys, events })
}
