import { type HostCalls, same } from '../lib/host-calls.ts'
import type { KeyStorage, UsageBatch } from '../storage/contract.ts'
import type { Refusal } from './usage-part.ts'

/** Delivers a batch of uses to the storage. Rejects as an outage. */
export async function deliverUses(
  { calls, storage }: { readonly calls: HostCalls; readonly storage: KeyStorage },
  batch: UsageBatch,
): Promise<Refusal | null> {
  try {
    await calls.attempt('addUses', (call) => storage.addUses(batch, call), same)
    return null
  } catch (error) {
    if (isRefusal(error)) return { cause: error }
    throw calls.fault('addUses', error)
  }
}

/** Whether the storage says that it can never store these values. */
function isRefusal(error: unknown): boolean {
  return Object(error).code === 'unstorable_value'
}
