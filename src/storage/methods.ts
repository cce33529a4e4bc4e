import { statusAt } from '../model/status.ts'
import type { ChangeLog } from './change-log.ts'
import type { HeldKey, KeyFilters, KeyStorage, ResourceFilter } from './contract.ts'

/** A method that every storage has. */
export type StorageMethod = Exclude<keyof KeyStorage, 'changes' | 'batchKeys' | 'diagnose'>

/** All of them, for what wraps or checks a storage. */
export const STORAGE_METHODS: readonly StorageMethod[] = Object.freeze(
  Object.keys({
    ...{ findByHash: true, read: true, write: true, list: true, events: true },
    ...{ addUses: true, usage: true, claimEvents: true, acknowledgeEvents: true },
    ...{ releaseEvents: true, due: true, keysOfPerson: true, renameActor: true },
    ...{ closeWorkspace: true, deleteWorkspace: true, purge: true },
  } satisfies Record<StorageMethod, true>) as StorageMethod[],
)

/**
 * The calls that change something, those of a log of changes too: their answers say how it ended, however
 * late they are looked at.
 */
export const CHANGING_CALLS: ReadonlySet<string> = new Set<StorageMethod | keyof ChangeLog>([
  ...(['write', 'addUses', 'renameActor', 'closeWorkspace', 'deleteWorkspace', 'purge'] as const),
  ...(['register', 'renew', 'evict', 'leave', 'changePlan', 'wake'] as const),
])

/** The codes of errors with which a storage says that a change that was called is not stored. @internal */
export const UNCHANGED_CODES: ReadonlySet<unknown> = new Set([
  ...['busy', 'closed', 'driver_missing', 'not_primary', 'refused', 'timeout', 'unavailable'],
  ...['schema_foreign', 'schema_missing', 'schema_too_new', 'unstorable_value'],
])

/** Whether a key passes the filters of a query. */
export function matches({ record, usage }: Pick<HeldKey, 'record' | 'usage'>, filters: KeyFilters) {
  const { status, environment, scope, creatorId, resource, ids, notUsedAfterMs, atMs } = filters
  const lastUsedAtMs = usage.lastUsedAtMs ?? record.createdAtMs
  return (
    (status === null || status.includes(statusAt(record, atMs))) &&
    (environment === null || record.environment === environment) &&
    (scope === undefined || record.scopes.includes(scope)) &&
    (creatorId === undefined || record.creator.id === creatorId) &&
    (resource === undefined || reaches(record.resources, resource)) &&
    (ids === undefined || ids.includes(record.id)) &&
    (notUsedAfterMs === undefined ||
      (record.createdAtMs <= notUsedAfterMs && lastUsedAtMs <= notUsedAfterMs))
  )
}

function reaches(
  resources: HeldKey['record']['resources'],
  { type, id, match }: ResourceFilter,
): boolean {
  const ids = Object.hasOwn(resources, type) ? resources[type] : undefined
  if (ids === undefined) return match === 'reaches'
  return ids.includes(id) && (match === 'reaches' || ids.length === 1)
}
