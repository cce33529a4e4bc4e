import type { StorageDiagnosis } from '../../../../src/storage/index.ts'
import { STATUSES } from '../key-conditions.ts'
import { integerIn, type SqlRow } from '../row.ts'

/** How many keys have each status, from a row of `countsByStatus`. */
export function keyCountsIn(row: SqlRow): StorageDiagnosis['keys'] {
  const counts = STATUSES.map((status) => [status, integerIn(row, status)])
  return Object.fromEntries(counts)
}

/** The pending events in a row of their `count` and their `oldest_at_ms`. */
export function pendingEventsIn(row: SqlRow): StorageDiagnosis['pendingEvents'] {
  const count = integerIn(row, 'count')
  return { count, oldestAtMs: count === 0 ? null : integerIn(row, 'oldest_at_ms') }
}
