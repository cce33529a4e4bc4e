import { type Context, same } from '../context.ts'
import { propertyOf } from '../lib/property.ts'
import type { UsageBatch } from '../storage/contract.ts'
import type { Refusal } from './usage-part.ts'

/** Delivers a batch of uses to the storage. Rejects as an outage. */
export async function deliverUses<S extends string>(
  context: Context<S>,
  batch: UsageBatch,
): Promise<Refusal | null> {
  const { storage } = context.settings
  try {
    await context.askQuietly((call) => storage.addUses(batch, call), same)
    return null
  } catch (error) {
    if (isRefusal(error)) return { cause: error }
    throw context.fault('addUses', error)
  }
}

/** Whether the storage says that it can never store these values. */
function isRefusal(error: unknown): boolean {
  const code = propertyOf(Object(error) as { readonly code?: unknown }, 'code')
  return code === 'unstorable_value'
}
