import { CALLED, LOCK_TIMEOUT, STEP } from './fragments.ts'

/**
 * The log of changes that nodes with a cache apply; see the table `change_clock`. It keeps 1,000
 * entries, and a node that is further behind forgets everything.
 */
export const CACHE = `
-- Adds an entry for each hash, or one entry of another kind. A statement that changes more keys
-- than the log keeps adds one entry for all.
CREATE FUNCTION miftah.log_changes(p_kind text, p_hashes bytea[], p_workspace text) RETURNS void
  ${STEP}
DECLARE
  v_is_used boolean;
  v_kind text := CASE WHEN cardinality(p_hashes) > 1000 THEN 'everything' ELSE p_kind END;
  v_entries bigint := CASE WHEN v_kind = 'key' THEN cardinality(p_hashes) ELSE 1 END;
  v_head bigint;
BEGIN
  IF v_entries = 0 THEN
    RETURN;
  END IF;
  SELECT c.is_used INTO STRICT v_is_used FROM miftah.change_clock c;
  IF NOT v_is_used THEN
    SELECT c.is_used INTO STRICT v_is_used FROM miftah.change_clock c FOR SHARE;
  END IF;
  IF NOT v_is_used THEN
    RETURN;
  END IF;
  PERFORM miftah.commit_durably();
  UPDATE miftah.change_clock c SET head = c.head + v_entries RETURNING c.head INTO STRICT v_head;
  IF v_kind = 'key' THEN
    INSERT INTO miftah.changes (sequence, kind, hash)
      SELECT v_head - v_entries + u.place, 'key', u.hash
      FROM unnest(p_hashes) WITH ORDINALITY AS u (hash, place);
  ELSE
    INSERT INTO miftah.changes (sequence, kind, workspace_id)
      VALUES (v_head, v_kind, p_workspace);
  END IF;
  DELETE FROM miftah.changes c WHERE c.sequence <= v_head - 1000;
END
$body$;

-- Logs every change of a key, also one made by hand, under the hash that nodes remember it by.
-- Deleting a revoked key tells them nothing new.
CREATE FUNCTION miftah.log_key_changes() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s'
AS $body$
BEGIN
  IF TG_OP = 'TRUNCATE' THEN
    PERFORM miftah.log_changes('everything', NULL, NULL);
  ELSE
    PERFORM miftah.log_changes('key', ARRAY(
      SELECT o.hash FROM changed_keys o WHERE TG_OP = 'UPDATE' OR o.revoked_at_ms IS NULL
    ), NULL);
  END IF;
  RETURN NULL;
END
$body$;

CREATE TRIGGER keys_logged_update AFTER UPDATE ON miftah.keys
  REFERENCING OLD TABLE AS changed_keys
  FOR EACH STATEMENT EXECUTE FUNCTION miftah.log_key_changes();
ALTER TABLE miftah.keys ENABLE ALWAYS TRIGGER keys_logged_update;

CREATE TRIGGER keys_logged_delete AFTER DELETE ON miftah.keys
  REFERENCING OLD TABLE AS changed_keys
  FOR EACH STATEMENT EXECUTE FUNCTION miftah.log_key_changes();
ALTER TABLE miftah.keys ENABLE ALWAYS TRIGGER keys_logged_delete;

CREATE TRIGGER keys_logged_truncate AFTER TRUNCATE ON miftah.keys
  FOR EACH STATEMENT EXECUTE FUNCTION miftah.log_key_changes();
ALTER TABLE miftah.keys ENABLE ALWAYS TRIGGER keys_logged_truncate;

-- The update waits for changes that have not seen that the log is used.
CREATE FUNCTION miftah.register_node(p jsonb) ${CALLED}
BEGIN
  ${LOCK_TIMEOUT}
  PERFORM miftah.commit_durably();
  UPDATE miftah.change_clock c SET is_used = true WHERE NOT c.is_used;
  INSERT INTO miftah.nodes (node, lease_ms) VALUES (p->>'node', (p->>'leaseMs')::bigint)
    ON CONFLICT DO NOTHING;
  RETURN 'null';
END
$body$;

-- Durable before it answers: a node must not hold a lease from a renewal that the server forgets in
-- a crash, or an eviction could find no renewal since. After a restore, the first renewal carried
-- out finds that the row does not have the one that the node names as answered, and moves since
-- past it. So neither this renewal nor a later one acknowledges anything before the node has
-- applied an answer of the restored log, even if answers are lost until the row has caught up: what
-- is acknowledged, the node has applied from this log.
CREATE FUNCTION miftah.renew_node(p jsonb) ${CALLED}
DECLARE
  v_applied bigint := (p->>'applied')::bigint;
  v_answered bigint := (p->>'answered')::bigint;
  v_renewal bigint := (p->>'renewal')::bigint;
  v_is_same_log boolean;
  v_head bigint;
  v_changes json;
BEGIN
  ${LOCK_TIMEOUT}
  PERFORM miftah.commit_durably();
  UPDATE miftah.nodes n
    SET renewal = greatest(n.renewal, v_renewal),
      since = CASE WHEN v_answered > n.renewal THEN v_renewal ELSE n.since END,
      acked = CASE WHEN v_answered BETWEEN n.since AND n.renewal
        THEN greatest(n.acked, coalesce(v_applied, 0)) ELSE n.acked END
    WHERE n.node = p->>'node' RETURNING v_answered >= n.since INTO v_is_same_log;
  IF NOT FOUND THEN
    RETURN json_build_object('outcome', 'evicted');
  END IF;
  SELECT c.head INTO STRICT v_head FROM miftah.change_clock c;
  IF v_head - v_applied <= 1000 THEN
    SELECT coalesce(json_agg(json_build_object(
        'sequence', c.sequence, 'kind', c.kind, 'hash', encode(c.hash, 'hex'),
        'workspaceId', c.workspace_id) ORDER BY c.sequence), '[]')
      INTO v_changes FROM miftah.changes c
      WHERE c.sequence > v_applied AND c.sequence <= v_head;
  END IF;
  RETURN json_build_object(
    'outcome', 'renewed', 'isSameLog', v_is_same_log, 'head', v_head, 'changes', v_changes);
END
$body$;

-- A node that somebody else is changing renews, or is removed already.
CREATE FUNCTION miftah.evict_nodes(p jsonb) ${CALLED}
BEGIN
  ${LOCK_TIMEOUT}
  PERFORM miftah.commit_durably();
  DELETE FROM miftah.nodes d WHERE d.node IN (
    SELECT n.node FROM miftah.nodes n
      JOIN jsonb_to_recordset(p->'nodes') AS seen (node text, renewal bigint)
        ON seen.node = n.node AND seen.renewal = n.renewal
      WHERE n.acked < (p->>'sequence')::bigint
      FOR UPDATE OF n SKIP LOCKED
  );
  RETURN 'null';
END
$body$;

CREATE FUNCTION miftah.leave_node(p jsonb) ${CALLED}
BEGIN
  ${LOCK_TIMEOUT}
  DELETE FROM miftah.nodes n WHERE n.node = p->>'node';
  RETURN 'null';
END
$body$;

CREATE FUNCTION miftah.change_plan(p jsonb) ${CALLED}
BEGIN
  ${LOCK_TIMEOUT}
  PERFORM miftah.log_changes('plan', NULL, p->>'workspaceId');
  RETURN (SELECT json_build_object('sequence', c.head) FROM miftah.change_clock c);
END
$body$;`
