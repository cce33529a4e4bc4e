import {
  replacedBy,
  revokedBy,
  unused,
  updatedBy,
} from '../../../adapters/storage/testing/contract-case.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
  sampleRotateChange,
  sampleUpdateChange,
} from '../../../adapters/storage/testing/storage-contract.ts'
import type {
  AuditEventRecord,
  KeyRecord,
  KeyStorage,
  RevokeChange,
  RotateChange,
  StoredKey,
  UpdateChange,
  UsageBatch,
} from '../../../src/storage/index.ts'

/** One call of a storage as plain data, so that another process can repeat it or work it out. */
export type Operation =
  | { readonly kind: 'insert'; readonly record: KeyRecord; readonly event: AuditEventRecord }
  | { readonly kind: 'rotate'; readonly change: RotateChange }
  | { readonly kind: 'update'; readonly change: UpdateChange }
  | { readonly kind: 'revoke'; readonly change: RevokeChange }
  | { readonly kind: 'addUses'; readonly batch: UsageBatch }

/** What a workspace holds: its keys, newest first, and its events, oldest first. */
export interface WorkspaceState {
  readonly records: readonly StoredKey[]
  readonly events: readonly AuditEventRecord[]
}

/** Who counts uses, and the number of the next batch. */
export interface BatchNumber {
  readonly writer: string
  readonly sequence: number
}

/** Some operation on the keys `known` so far, which it keeps up to date. */
export function randomOperation(
  workspaceId: string,
  known: KeyRecord[],
  batch: BatchNumber,
): Operation {
  const index = Math.floor(Math.random() * known.length)
  const record = known[index]
  const dice = Math.random()
  if (!record || dice < 0.3) return insertion(workspaceId, known)
  if (dice < 0.45) {
    const change = sampleUpdateChange(record, dice < 0.38 ? pauseOf(record) : { name: `${dice}` })
    known[index] = updatedBy(record, change)
    return { kind: 'update', change }
  }
  if (dice < 0.6) {
    const change = sampleRotateChange(record)
    known[index] = change.replacement
    return { kind: 'rotate', change }
  }
  if (dice < 0.8) {
    known.splice(index, 1)
    return { kind: 'revoke', change: sampleRevokeChange(record) }
  }
  const uses = known.map(({ id }) => ({ id, uses: 1, lastUsedAtMs: Date.now() }))
  return { kind: 'addUses', batch: { ...batch, uses } }
}

/** Does it to a storage. */
export function applyTo(storage: KeyStorage, operation: Operation): Promise<unknown> {
  switch (operation.kind) {
    case 'insert':
      return storage.insert(operation.record, null, operation.event)
    case 'rotate':
      return storage.rotate(operation.change)
    case 'update':
      return storage.update(operation.change)
    case 'revoke':
      return storage.revoke(operation.change)
    case 'addUses':
      return storage.addUses(operation.batch)
  }
}

/** What the workspace holds after it, by plain reckoning. */
export function stateAfter(state: WorkspaceState, operation: Operation): WorkspaceState {
  const { records, events } = state
  switch (operation.kind) {
    case 'insert':
      return {
        records: [unused(operation.record), ...records],
        events: [...events, operation.event],
      }
    case 'update':
      return {
        records: changedIn(records, operation.change.id, (key) => updatedBy(key, operation.change)),
        events: [...events, operation.change.event],
      }
    case 'revoke':
      return {
        records: changedIn(records, operation.change.id, (key) => revokedBy(key, operation.change)),
        events: [...events, operation.change.event],
      }
    case 'rotate': {
      const { change } = operation
      const others = changedIn(records, change.id, (key) => replacedBy(key, change))
      return {
        records: [unused(change.replacement), ...others],
        events: [...events, change.event],
      }
    }
    case 'addUses':
      return { records: records.map((record) => counted(record, operation.batch)), events }
  }
}

/** Pauses a key, or resumes a paused one. */
function pauseOf({ pausedAtMs }: KeyRecord) {
  const pausedBy = { id: 'u_pause', name: 'Sami' }
  return pausedAtMs === null ? { pausedAtMs: 5, pausedBy } : { pausedAtMs: null, pausedBy: null }
}

function insertion(workspaceId: string, known: KeyRecord[]): Operation {
  const record = sampleRecord({ workspaceId })
  known.push(record)
  return { kind: 'insert', record, event: sampleCreatedEvent(record) }
}

function changedIn(
  records: readonly StoredKey[],
  id: string,
  change: (record: StoredKey) => StoredKey,
): readonly StoredKey[] {
  return records.map((record) => (record.id === id ? change(record) : record))
}

function counted(record: StoredKey, { uses }: UsageBatch): StoredKey {
  const added = uses.find(({ id }) => id === record.id)
  if (!added) return record
  const lastUsedAtMs = Math.max(record.lastUsedAtMs ?? 0, added.lastUsedAtMs)
  return { ...record, uses: record.uses + added.uses, lastUsedAtMs }
}
