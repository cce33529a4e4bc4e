import { COUNTS_WITHOUT_END, countsUntilExpiry } from '../key-conditions.ts'
import type { Names } from './names.ts'

type At = Names['at']

/** How many keys of a workspace count towards the limit until somebody changes them, as a value in SQL. */
const keysWithoutEnd = (at: At, workspace: string) =>
  `(SELECT coalesce(pg_catalog.sum(w.keys_without_end), 0)::bigint
      FROM ${at('workspaces')} w WHERE w.workspace_id = ${workspace})`

/**
 * How many keys of a workspace are active or paused at an instant, as a value in SQL. It reads one row,
 * and the index of those keys that expire later.
 */
export function activeKeys(at: At, workspace: string, instant: string): string {
  return `(${keysWithoutEnd(at, workspace)} OPERATOR(pg_catalog.+)
      (SELECT pg_catalog.count(*) FROM ${at('keys')} x
        WHERE x.workspace_id = ${workspace} AND ${countsUntilExpiry(instant)}))`
}

/** What the count of a workspace `w` should be. */
function countedAgain(at: At): string {
  return `(SELECT pg_catalog.count(*) FROM ${at('keys')} x
        WHERE x.workspace_id OPERATOR(pg_catalog.=) w.workspace_id AND ${COUNTS_WITHOUT_END})`
}

/** The SQL that sets the counts of all workspaces right. */
export function countAllAgain(at: At): string {
  const count = countedAgain(at).replaceAll(/\s+/g, ' ')
  return `UPDATE ${at('workspaces')} w SET keys_without_end = ${count}`
}

/** How many workspaces have a wrong count, and how often one was repaired. */
export function wrongCounts(at: At): string {
  return `SELECT pg_catalog.json_build_object(
    'wrong', pg_catalog.count(*) FILTER (
      WHERE w.keys_without_end OPERATOR(pg_catalog.<>) ${countedAgain(at)}),
    'repaired', coalesce(pg_catalog.sum(w.recounts), 0))
  FROM ${at('workspaces')} w`
}
