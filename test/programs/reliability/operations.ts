import {
  sampleInsertion,
  sampleRecord,
  sampleRevocation,
  sampleRotation,
  sampleUpdate,
} from '../../../adapters/storage/testing/samples.ts'
import type {
  AuditEventRecord,
  HeldKey,
  KeyRecord,
  KeyStorage,
  UsageBatch,
  WorkspaceWrite,
} from '../../../src/storage/index.ts'

/** One call of a storage as plain data, so that another process can repeat it or work it out. */
export type Operation = { readonly write: WorkspaceWrite } | { readonly batch: UsageBatch }

/** What a workspace holds: its keys, newest first, and its events, oldest first. */
export interface WorkspaceState {
  readonly keys: readonly Omit<HeldKey, 'place'>[]
  readonly events: readonly AuditEventRecord[]
}

/** A key as its changer knows it. */
export type KnownKey = Pick<HeldKey, 'record' | 'edition'>

/** Who counts uses, and the number of the next batch. */
export interface BatchNumber {
  readonly writer: string
  readonly sequence: number
}

/** Some operation on the keys `known` so far, which it keeps up to date. */
export function randomOperation(
  workspaceId: string,
  known: KnownKey[],
  batch: BatchNumber,
): Operation {
  const key = known[Math.floor(Math.random() * known.length)]
  const dice = Math.random()
  if (key !== undefined && dice > 0.8) {
    const uses = known.map(({ record: { id } }) => ({ id, uses: 1, lastUsedAtMs: Date.now() }))
    return { batch: { ...batch, uses } }
  }
  const write = writeOf(workspaceId, key, dice)
  for (const { record, ifEdition } of write.keys) {
    const at = known.findIndex((one) => one.record.id === record.id)
    if (at >= 0) known.splice(at, 1)
    const { revokedAtMs } = record
    if (revokedAtMs === null) known.push({ record, edition: (ifEdition ?? 0) + 1 })
  }
  return { write }
}

function writeOf(workspaceId: string, key: KnownKey | undefined, dice: number): WorkspaceWrite {
  if (key === undefined || dice < 0.3) return sampleInsertion(sampleRecord({ workspaceId }))
  if (dice < 0.38) return sampleUpdate(key, pauseOf(key.record))
  if (dice < 0.45) return sampleUpdate(key, { name: `${dice}` })
  if (dice < 0.6) return sampleRotation(key, sampleRecord({ workspaceId }))
  return sampleRevocation(key)
}

/** Pauses a key, or resumes a paused one. */
function pauseOf({ pausedAtMs }: KeyRecord) {
  const pausedBy = { id: 'u_pause', name: 'Sami' }
  return pausedAtMs === null ? { pausedAtMs: 5, pausedBy } : { pausedAtMs: null, pausedBy: null }
}

/** Does it to a storage; answers what became of a write. */
export async function applyTo(storage: KeyStorage, operation: Operation): Promise<string> {
  if ('batch' in operation) {
    await storage.addUses(operation.batch)
    return 'counted'
  }
  const [answer] = await storage.write([operation.write])
  return answer?.outcome ?? 'none'
}

/** What the workspace holds after it, by plain reckoning. */
export function stateAfter({ keys, events }: WorkspaceState, operation: Operation): WorkspaceState {
  if ('batch' in operation) {
    return { keys: keys.map((key) => countedBy(key, operation.batch)), events }
  }
  const { write } = operation
  let after = keys
  for (const { record, ifEdition } of write.keys) {
    after =
      ifEdition === null
        ? [{ record, usage: { uses: 0, lastUsedAtMs: null }, edition: 1 }, ...after]
        : after.map((key) =>
            key.record.id === record.id ? { ...key, record, edition: ifEdition + 1 } : key,
          )
  }
  return { keys: after, events: [...events, ...write.events] }
}

function countedBy(key: Omit<HeldKey, 'place'>, { uses }: UsageBatch) {
  const added = uses.find(({ id }) => id === key.record.id)
  if (added === undefined) return key
  const lastUsedAtMs = Math.max(key.usage.lastUsedAtMs ?? 0, added.lastUsedAtMs)
  return { ...key, usage: { uses: key.usage.uses + added.uses, lastUsedAtMs } }
}
