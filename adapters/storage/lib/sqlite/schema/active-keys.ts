/**
 * Whether a row of `miftah_keys` counts towards the limit, now and until somebody changes it. Such
 * keys are counted in `miftah_workspaces`. This is the one place where that is defined.
 */
function countsWithoutEnd(row: string): string {
  return `${row}.revoked_at_ms IS NULL`
}

/** The value of a workspace's count. It costs the same however many keys there are. */
export const ACTIVE_KEYS = `SELECT coalesce(sum(keys_without_end), 0) AS active_keys
  FROM miftah_workspaces WHERE workspace_id = ?`

/** Keeps the count in the step that changes a key, also when a key is revoked by hand. */
export const ACTIVE_KEY_COUNT = `
-- How many keys of each workspace count towards the limit until somebody changes them.
CREATE TABLE miftah_workspaces (
  workspace_id TEXT PRIMARY KEY,
  keys_without_end INTEGER NOT NULL CHECK (keys_without_end >= 0)
) STRICT, WITHOUT ROWID;

INSERT INTO miftah_workspaces
SELECT workspace_id, count(*) FROM miftah_keys AS k WHERE ${countsWithoutEnd('k')} GROUP BY workspace_id;

CREATE TRIGGER miftah_workspaces_are_not_deleted BEFORE DELETE ON miftah_workspaces
BEGIN
  SELECT RAISE(ABORT, 'miftah: counts are kept');
END;

-- Without ON CONFLICT, which a trigger takes over from the statement that fires it.
CREATE TRIGGER miftah_keys_are_counted AFTER INSERT ON miftah_keys
WHEN ${countsWithoutEnd('NEW')}
BEGIN
  INSERT INTO miftah_workspaces SELECT NEW.workspace_id, 0
  WHERE NOT EXISTS (SELECT 1 FROM miftah_workspaces WHERE workspace_id = NEW.workspace_id);
  UPDATE miftah_workspaces SET keys_without_end = keys_without_end + 1
  WHERE workspace_id = NEW.workspace_id;
END;

CREATE TRIGGER miftah_keys_are_counted_again AFTER UPDATE ON miftah_keys
WHEN (${countsWithoutEnd('NEW')}) <> (${countsWithoutEnd('OLD')})
BEGIN
  UPDATE miftah_workspaces
  SET keys_without_end = keys_without_end + iif(${countsWithoutEnd('NEW')}, 1, -1)
  WHERE workspace_id = NEW.workspace_id;
END;
`.trim()
