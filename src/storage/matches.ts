import { statusAt } from '../model/status.ts'
import type { HeldKey, KeyFilters, ResourceFilter } from './contract.ts'

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
