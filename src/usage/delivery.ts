import { type Context, same } from '../context.ts'
import { propertyOf } from '../lib/property.ts'
import type { UsageBatch } from '../storage/contract.ts'
import { RefusedBatch } from './usage-part.ts'

/** Delivers a batch of uses to the storage. Rejects with a {@link RefusedBatch}, or as an outage. */
export async function deliverUses<S extends string>(
  context: Context<S>,
  batch: UsageBatch,
): Promise<void> {
  const { storage } = context.settings
  try {
    await context.askQuietly((call) => storage.addUses(batch, call), same)
  } catch (error) {
    if (isRefusal(error)) throw new RefusedBatch('refused', { cause: error })
    throw context.fault('addUses', error)
  }
}

/** Whether the storage says that it can never store these values. */
function isRefusal(error: unknown): boolean {
  const code = propertyOf(Object(error) as { readonly code?: unknown }, 'code')
  return code === 'unstorable_value'
}
