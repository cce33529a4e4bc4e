import { COUNTS_WITHOUT_END, countsUntilExpiry } from '../../key-conditions.ts'

/** {@link COUNTS_WITHOUT_END} for a row of a trigger. */
function countsWithoutEnd(row: 'OLD' | 'NEW'): string {
  return COUNTS_WITHOUT_END.replaceAll(/\w+_at_ms/g, `${row}.$&`)
}

/**
 * How many keys of a workspace are active or paused at an instant: the value of its count, and those
 * keys that expire later, along their index.
 */
export const ACTIVE_KEYS = `SELECT
  (SELECT coalesce(sum(keys_without_end), 0) FROM miftah_workspaces WHERE workspace_id = ?)
  + (SELECT count(*) FROM miftah_keys WHERE workspace_id = ? AND ${countsUntilExpiry('?')})
  AS active_keys`

/**
 * A workspace is counted from its first key without an end, be it new or changed. Without ON CONFLICT,
 * which a trigger takes over from the statement that fires it.
 */
const WORKSPACE_IS_THERE = `INSERT INTO miftah_workspaces (workspace_id, keys_without_end)
  SELECT NEW.workspace_id, 0
  WHERE NOT EXISTS (SELECT 1 FROM miftah_workspaces WHERE workspace_id = NEW.workspace_id);`

/** What the count of a workspace should be. */
const COUNTED_AGAIN = `(SELECT count(*) FROM miftah_keys INDEXED BY miftah_keys_active
  WHERE miftah_keys.workspace_id = miftah_workspaces.workspace_id AND ${COUNTS_WITHOUT_END})`

/** Keeps the count in the step that changes a key, also when a key is revoked by hand. */
export const ACTIVE_KEY_COUNT = `
-- How many keys of each workspace count towards the limit until somebody changes them.
CREATE TABLE miftah_workspaces (
  workspace_id TEXT PRIMARY KEY,
  keys_without_end INTEGER NOT NULL CHECK (keys_without_end >= 0),
  is_erased INTEGER NOT NULL DEFAULT 0 CHECK (is_erased IN (0, 1)),
  -- The latest end of a key that did not count any more when keys were counted against a limit.
  expired_to_ms INTEGER,
  -- How often the count was found too low, and the keys were counted again.
  recounts INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

INSERT INTO miftah_workspaces (workspace_id, keys_without_end)
SELECT workspace_id, count(*) FROM miftah_keys WHERE ${COUNTS_WITHOUT_END} GROUP BY workspace_id;

CREATE TRIGGER miftah_workspaces_are_not_deleted BEFORE DELETE ON miftah_workspaces
BEGIN
  SELECT RAISE(ABORT, 'miftah: the counts of workspaces cannot be deleted');
END;

CREATE TRIGGER miftah_keys_are_counted AFTER INSERT ON miftah_keys
WHEN ${countsWithoutEnd('NEW')}
BEGIN
  ${WORKSPACE_IS_THERE}
  UPDATE miftah_workspaces SET keys_without_end = keys_without_end + 1
  WHERE workspace_id = NEW.workspace_id;
END;

CREATE TRIGGER miftah_keys_are_counted_again AFTER UPDATE ON miftah_keys
WHEN (${countsWithoutEnd('NEW')}) <> (${countsWithoutEnd('OLD')})
BEGIN
  ${WORKSPACE_IS_THERE}
  -- A revocation must not fail because the count is too low.
  UPDATE miftah_workspaces
  SET keys_without_end = CASE
      WHEN ${countsWithoutEnd('NEW')} THEN keys_without_end + 1
      WHEN keys_without_end > 0 THEN keys_without_end - 1
      ELSE ${COUNTED_AGAIN} END,
    recounts = recounts + (keys_without_end = 0 AND NOT (${countsWithoutEnd('NEW')}))
  WHERE workspace_id = NEW.workspace_id;
END;
`.trim()

/** The SQL that sets the counts of all workspaces right. */
export const COUNT_ALL_AGAIN = `UPDATE miftah_workspaces SET keys_without_end = ${COUNTED_AGAIN}`

/** How many workspaces have a wrong count, and how often one was repaired. */
export const WRONG_COUNTS = `SELECT coalesce(sum(recounts), 0) AS repaired,
  count(*) FILTER (WHERE keys_without_end <> ${COUNTED_AGAIN}) AS wrong FROM miftah_workspaces`
