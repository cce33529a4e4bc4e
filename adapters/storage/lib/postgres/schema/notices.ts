import { CALLED, failIf, LOCK_TIMEOUT, TRIGGERED } from './fragments.ts'

/** When events about the end of keys are due: 7 days and 1 day before it, and at it. */
export const NOTICES = `
-- No notice is due for a key that was revoked, unless that was the end of its overlap.
CREATE FUNCTION miftah.plan_notice() ${TRIGGERED}
DECLARE
  v_due bigint := CASE
    WHEN nullif(NEW.revoked_at_ms, NEW.retires_at_ms) IS NOT NULL THEN NULL
    WHEN NEW.retires_at_ms IS NOT NULL THEN NEW.retires_at_ms
    WHEN NEW.expires_at_ms - 604800000 > NEW.updated_at_ms THEN NEW.expires_at_ms - 604800000
    WHEN NEW.expires_at_ms - 86400000 > NEW.updated_at_ms THEN NEW.expires_at_ms - 86400000
    ELSE NEW.expires_at_ms END;
BEGIN
  IF v_due IS NULL THEN
    DELETE FROM miftah.notices n WHERE n.id = NEW.id;
  ELSE
    INSERT INTO miftah.notices AS n (id, due_at_ms) VALUES (NEW.id, v_due)
      ON CONFLICT (id) DO UPDATE SET due_at_ms = excluded.due_at_ms;
  END IF;
  RETURN NULL;
END
$body$;

CREATE TRIGGER keys_notice AFTER INSERT ON miftah.keys
  FOR EACH ROW WHEN (NEW.expires_at_ms IS NOT NULL OR NEW.retires_at_ms IS NOT NULL)
  EXECUTE FUNCTION miftah.plan_notice();

-- A revocation counts unless it is the end of an overlap.
CREATE TRIGGER keys_notice_again AFTER UPDATE ON miftah.keys
  FOR EACH ROW WHEN (
    (NEW.expires_at_ms, NEW.retires_at_ms, nullif(NEW.revoked_at_ms, NEW.retires_at_ms))
      IS DISTINCT FROM
      (OLD.expires_at_ms, OLD.retires_at_ms, nullif(OLD.revoked_at_ms, OLD.retires_at_ms))
    AND (NEW.expires_at_ms IS NOT NULL OR NEW.retires_at_ms IS NOT NULL
      OR OLD.expires_at_ms IS NOT NULL))
  EXECUTE FUNCTION miftah.plan_notice();

-- Workspaces are locked in the order of their ids, so that two writers never deadlock.
CREATE FUNCTION miftah.store_notices(p jsonb) ${CALLED}
DECLARE
  v_notice jsonb;
  v_seq bigint;
  v_stored bigint := 0;
BEGIN
  ${LOCK_TIMEOUT}
  FOR v_notice IN
    SELECT n.value FROM jsonb_array_elements(p->'notices') n
    ORDER BY n.value->>'workspaceId' COLLATE "C", n.value->>'id' COLLATE "C"
  LOOP
    CONTINUE WHEN NOT EXISTS (SELECT FROM miftah.notices n
      WHERE n.id = v_notice->>'id' AND n.due_at_ms = (v_notice->>'dueAtMs')::bigint);
    v_seq := miftah.lock_workspace(v_notice->>'workspaceId', true);
    PERFORM FROM miftah.notices n JOIN miftah.keys k ON k.id = n.id
      WHERE n.id = v_notice->>'id' AND n.due_at_ms = (v_notice->>'dueAtMs')::bigint
        AND k.workspace_id = v_notice->>'workspaceId'
        AND k.version = (v_notice->>'version')::bigint
      FOR UPDATE OF n;
    CONTINUE WHEN NOT FOUND;
    IF v_notice->>'nextAtMs' IS NULL THEN
      DELETE FROM miftah.notices n WHERE n.id = v_notice->>'id';
    ELSE
      UPDATE miftah.notices n SET due_at_ms = (v_notice->>'nextAtMs')::bigint
        WHERE n.id = v_notice->>'id';
    END IF;
    -- A trigger of the host may have swallowed that, and the notice would be written again.
    ${failIf('NOT FOUND', 'the notice could not be moved')}
    PERFORM miftah.store_event(v_notice->'event', v_notice->>'workspaceId', v_seq);
    v_stored := v_stored + 1;
  END LOOP;
  RETURN json_build_object('stored', v_stored);
END
$body$;`
