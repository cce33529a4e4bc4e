import { type HostCalls, same } from '../lib/host-calls.ts'
import type { HourlyCount, KeyStorage, KeyUses, UsageBatch } from '../storage/contract.ts'

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

function isRefusal(error: unknown): boolean {
  return Object(error).code === 'unstorable_value'
}

export interface UsagePart {
  readonly uses: KeyUses[]
  readonly counts: HourlyCount[]
}

/** The storage can never store a batch as it is, and has stored nothing of it. */
export interface Refusal {
  /** What it rejected with. */
  readonly cause: unknown
}

/**
 * The parts of one that the storage refused, of which it may take some: the uses, and the counts of each
 * outcome. Empty when there is nothing to separate.
 */
export function separated({ uses, counts }: UsagePart): readonly UsagePart[] {
  const outcomes = new Set(counts.map(({ outcome }) => outcome))
  const parts: UsagePart[] = Array.from(outcomes, (one) => ({
    uses: [],
    counts: counts.filter(({ outcome }) => outcome === one),
  }))
  if (uses.length > 0) parts.unshift({ uses, counts: [] })
  return parts.length > 1 ? parts : []
}

export function lossOf({ counts: [first] }: UsagePart, { cause }: Refusal): Error {
  const what =
    first === undefined
      ? 'uses'
      : `requests with the outcome "${first.outcome}", for which its schema may be too old`
  return new Error(`The storage refused to count ${what}: these counts are lost.`, { cause })
}
