import { TRIGGERED } from './fragments.ts'

/**
 * The count of keys that have no end, kept in the step that changes a key, also when a key is
 * revoked by hand. The triggers run once for each statement, so that changing many keys at once
 * costs no more than it has to. Those that write to another table are not enabled always: what
 * replicates the one table replicates the other.
 */
export const COUNTS = `
CREATE FUNCTION miftah.count_added_keys() ${TRIGGERED}
BEGIN
  INSERT INTO miftah.workspaces AS w (workspace_id, changes, keys_without_end)
    SELECT k.workspace_id, 0, count(*) FROM added k
    WHERE k.revoked_at_ms IS NULL AND k.retires_at_ms IS NULL AND k.expires_at_ms IS NULL
    GROUP BY k.workspace_id ORDER BY k.workspace_id
    ON CONFLICT (workspace_id) DO UPDATE
      SET keys_without_end = w.keys_without_end + excluded.keys_without_end;
  RETURN NULL;
END
$body$;

CREATE TRIGGER keys_counted AFTER INSERT ON miftah.keys
  REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION miftah.count_added_keys();

CREATE FUNCTION miftah.count_changed_keys() ${TRIGGERED}
BEGIN
  -- A revocation must not fail because the count is too low.
  UPDATE miftah.workspaces w
    SET keys_without_end = CASE WHEN w.keys_without_end + c.change < 0
        THEN (SELECT count(*) FROM miftah.keys x
          WHERE x.workspace_id = w.workspace_id AND x.revoked_at_ms IS NULL
            AND x.retires_at_ms IS NULL AND x.expires_at_ms IS NULL)
        ELSE w.keys_without_end + c.change END,
      recounts = w.recounts + CASE WHEN w.keys_without_end + c.change < 0 THEN 1 ELSE 0 END
    FROM (
      SELECT s.workspace_id, sum(s.counted) AS change FROM (
        SELECT k.workspace_id, 1 AS counted FROM changed k
          WHERE k.revoked_at_ms IS NULL AND k.retires_at_ms IS NULL AND k.expires_at_ms IS NULL
        UNION ALL
        SELECT k.workspace_id, -1 FROM former k
          WHERE k.revoked_at_ms IS NULL AND k.retires_at_ms IS NULL AND k.expires_at_ms IS NULL
      ) s GROUP BY s.workspace_id HAVING sum(s.counted) <> 0
    ) c
    WHERE w.workspace_id = c.workspace_id;
  RETURN NULL;
END
$body$;

CREATE TRIGGER keys_counted_again AFTER UPDATE ON miftah.keys
  REFERENCING OLD TABLE AS former NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION miftah.count_changed_keys();`
