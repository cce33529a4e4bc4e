import { COUNTS_WITHOUT_END, countsUntilExpiry } from '../key-conditions.ts'

/**
 * How many keys of a workspace are active or paused at an instant: the value of its count, and those
 * keys that expire later, along their index.
 */
export const ACTIVE_KEYS = `SELECT
  (SELECT coalesce(sum(keys_without_end), 0) FROM miftah_workspaces WHERE workspace_id = ?)
  + (SELECT count(*) FROM miftah_keys WHERE workspace_id = ? AND ${countsUntilExpiry('?')})
  AS active_keys`

/** What the count of a workspace should be. */
const COUNTED_AGAIN = `(SELECT count(*) FROM miftah_keys INDEXED BY miftah_keys_active
  WHERE miftah_keys.workspace_id = miftah_workspaces.workspace_id AND ${COUNTS_WITHOUT_END})`

/** The SQL that sets the counts of all workspaces right. */
export const COUNT_ALL_AGAIN = `UPDATE miftah_workspaces SET keys_without_end = ${COUNTED_AGAIN}`

/** How many workspaces have a wrong count, and how often one was repaired. */
export const WRONG_COUNTS = `SELECT coalesce(sum(recounts), 0) AS repaired,
  count(*) FILTER (WHERE keys_without_end <> ${COUNTED_AGAIN}) AS wrong FROM miftah_workspaces`
