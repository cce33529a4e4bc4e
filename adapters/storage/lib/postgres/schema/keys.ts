import { CALLED, LOCK_TIMEOUT, SEQUENCE, storedKey } from './fragments.ts'

/** No key changes its workspace, so one that is not found before the lock would not be found after it. */
const FIND_AND_LOCK = `SELECT k.* INTO v_key FROM miftah.keys k
    WHERE k.id = p->>'id' AND k.workspace_id = v_workspace;
  IF NOT FOUND THEN
    RETURN json_build_object('outcome', 'not_found');
  END IF;
  v_seq := miftah.lock_workspace(v_workspace, false);`

const NOT_FOUND_IF_ERASED = `IF (SELECT w.is_erased FROM miftah.workspaces w WHERE w.workspace_id = v_workspace) THEN
    RETURN json_build_object('outcome', 'not_found');
  END IF;`

/**
 * The changes of keys. Each is one call, one transaction, with its guard inside. It has the rights
 * of the schema's owner, so that a program needs no right to write the tables, and a search path in
 * which no other role can create anything. `lockTimeoutMs` is how long the call may wait for locks,
 * so that it answers before its caller stops waiting.
 *
 * A change that finds its work done takes the workspace's lock as well. That writes a row, and
 * PostgreSQL flushes the log and waits for a synchronous standby only when a transaction has
 * written something. The earlier change may have waited for neither.
 */
export const KEYS = `
CREATE FUNCTION miftah.insert_key(p jsonb) ${CALLED}
DECLARE
  v_record jsonb := p->'record';
  v_workspace text NOT NULL := v_record->>'workspace_id';
  v_limit bigint := (p->>'activeLimit')::bigint;
  v_at bigint NOT NULL := (v_record->>'created_at_ms')::bigint;
  v_seq bigint;
BEGIN
  ${LOCK_TIMEOUT}
  v_seq := miftah.lock_workspace(v_workspace, true);
  IF (SELECT w.is_erased FROM miftah.workspaces w WHERE w.workspace_id = v_workspace) THEN
    RETURN json_build_object('inserted', false, 'isErased', true);
  END IF;
  IF EXISTS (
    SELECT FROM miftah.keys k
    WHERE k.id = v_record->>'id' AND k.hash = (v_record->>'hash')::bytea
  ) OR EXISTS (
    SELECT FROM miftah.purged g
    WHERE g.kind = 'key' AND g.id = v_record->>'id' AND g.workspace_id = v_workspace
  ) THEN
    RETURN json_build_object('inserted', true);
  END IF;
  IF v_limit IS NOT NULL THEN
    -- Not a moment too late, or a key that still lives would not be counted.
    v_at := miftah.decided_at(p - 'calledAtMs', v_at, v_workspace);
    -- Notes which keys do not count any more, so that they stay expired.
    UPDATE miftah.workspaces w SET expired_to_ms = e.end_ms
      FROM (
        SELECT least(max(x.expires_at_ms),
          (date_part('epoch', clock_timestamp()) * 1000)::bigint + 60000) AS end_ms
        FROM miftah.keys x
        WHERE x.workspace_id = v_workspace
          AND x.revoked_at_ms IS NULL AND x.retires_at_ms IS NULL AND x.expires_at_ms <= v_at
        HAVING max(x.expires_at_ms) IS NOT NULL
      ) e
      WHERE w.workspace_id = v_workspace AND (w.expired_to_ms >= e.end_ms) IS NOT TRUE;
    -- No more keys are read than the limit.
    IF (SELECT coalesce(sum(w.keys_without_end), 0)::bigint FROM miftah.workspaces w
        WHERE w.workspace_id = v_workspace)
      + (SELECT count(*) FROM (
          SELECT FROM miftah.keys x
          WHERE x.workspace_id = v_workspace
            AND x.revoked_at_ms IS NULL AND x.retires_at_ms IS NULL AND x.expires_at_ms > v_at
          LIMIT v_limit
        ) AS up_to_limit) >= v_limit
    THEN
      RETURN json_build_object('inserted', false, 'activeKeys',
        (SELECT coalesce(sum(w.keys_without_end), 0)::bigint FROM miftah.workspaces w
          WHERE w.workspace_id = v_workspace)
        + (SELECT count(*) FROM miftah.keys x
          WHERE x.workspace_id = v_workspace
            AND x.revoked_at_ms IS NULL AND x.retires_at_ms IS NULL AND x.expires_at_ms > v_at));
    END IF;
  END IF;
  PERFORM miftah.store_key(v_record, v_workspace, v_seq);
  PERFORM miftah.store_event(p->'event', v_workspace, v_seq);
  RETURN json_build_object('inserted', true);
END
$body$;

-- The event, which no other call stores, shows that an earlier attempt was made. An update that
-- moves the end of a key later must be committed before that end.
CREATE FUNCTION miftah.update_key(p jsonb) ${CALLED}
DECLARE
  v_workspace text NOT NULL := p->>'workspaceId';
  v_key miftah.keys;
  v_state miftah.keys := jsonb_populate_record(NULL::miftah.keys, p->'state');
  v_updated_at bigint NOT NULL := (p->>'updatedAtMs')::bigint;
  v_at bigint;
  v_seq bigint;
  v_outcome text := 'updated';
BEGIN
  ${LOCK_TIMEOUT}
  ${FIND_AND_LOCK}
  v_at := miftah.decided_at(p, v_updated_at, v_workspace);
  ${NOT_FOUND_IF_ERASED}
  UPDATE miftah.keys k
    SET name = v_state.name, note = v_state.note, scopes = v_state.scopes,
      resources = v_state.resources, networks = v_state.networks, expires_at_ms = v_state.expires_at_ms,
      paused_at_ms = v_state.paused_at_ms, paused_by_id = v_state.paused_by_id,
      paused_by_name = v_state.paused_by_name, metadata = v_state.metadata,
      version = k.version + 1, updated_at_ms = v_updated_at
    WHERE k.id = v_key.id AND k.version = (p->>'version')::bigint
      AND k.revoked_at_ms IS NULL
      AND (k.replaced_by IS NULL
        OR ((p->>'isNarrowing')::boolean AND k.retires_at_ms > v_at) IS TRUE)
      AND NOT (k.expires_at_ms <= v_at + CASE
        WHEN v_state.expires_at_ms <= k.expires_at_ms THEN 0 ELSE 1000 END) IS TRUE;
  IF FOUND THEN
    PERFORM miftah.store_event(p->'event', v_workspace, v_seq);
  ELSIF NOT EXISTS (
    SELECT FROM miftah.events e WHERE e.id = p->'event'->>'id' AND e.key_id = v_key.id
  ) THEN
    v_outcome := (
      SELECT CASE
        WHEN k.revoked_at_ms IS NULL AND k.replaced_by IS NULL
          AND (k.expires_at_ms <= v_at + CASE
            WHEN v_state.expires_at_ms <= k.expires_at_ms THEN 0 ELSE 1000 END) IS TRUE
        THEN 'expired' ELSE 'stale' END
      FROM miftah.keys k WHERE k.id = v_key.id);
  END IF;
  RETURN json_build_object(
    'outcome', v_outcome,
    'record', ${storedKey('v_key.id')},
    'sequence', ${SEQUENCE});
END
$body$;

-- isRepeat says that an earlier attempt of the same call may have run with its answer lost: then the
-- event, which no other call stores, shows that it did.
CREATE FUNCTION miftah.revoke_key(p jsonb) ${CALLED}
DECLARE
  v_workspace text NOT NULL := p->>'workspaceId';
  v_revoked_at bigint NOT NULL := (p->>'revokedAtMs')::bigint;
  v_at bigint;
  v_key miftah.keys;
  v_has_retired boolean;
  v_seq bigint;
  v_outcome text := 'revoked';
BEGIN
  ${LOCK_TIMEOUT}
  ${FIND_AND_LOCK}
  -- Not a moment too late, or the event would be missing. A retiring key was never counted.
  v_at := miftah.decided_at(p - 'calledAtMs', v_revoked_at, NULL);
  UPDATE miftah.keys k
    SET revoked_at_ms = CASE
        WHEN k.retires_at_ms <= v_at THEN k.retires_at_ms ELSE v_revoked_at END,
      version = k.version + 1, updated_at_ms = v_revoked_at
    WHERE k.id = v_key.id AND k.revoked_at_ms IS NULL
    RETURNING coalesce(k.retires_at_ms <= v_at, false) INTO v_has_retired;
  IF v_has_retired IS NOT FALSE THEN
    v_outcome := 'already_revoked';
  ELSE
    PERFORM miftah.store_event(p->'event', v_workspace, v_seq);
  END IF;
  IF (p->>'isRepeat')::boolean AND v_outcome = 'already_revoked' AND EXISTS (
    SELECT FROM miftah.events e WHERE e.id = p->'event'->>'id' AND e.key_id = v_key.id
  ) THEN
    v_outcome := 'revoked';
  END IF;
  RETURN json_build_object(
    'outcome', v_outcome,
    'record', ${storedKey('v_key.id')},
    'sequence', ${SEQUENCE});
END
$body$;

-- One lock for all of them, so that each is looked at as it is revoked.
CREATE FUNCTION miftah.revoke_keys(p jsonb) ${CALLED}
DECLARE
  v_workspace text NOT NULL := p->>'workspaceId';
  v_not_used_after bigint := (p->>'notUsedAfterMs')::bigint;
  v_change jsonb;
  v_revoked text[] := '{}';
BEGIN
  ${LOCK_TIMEOUT}
  IF EXISTS (SELECT FROM miftah.workspaces w WHERE w.workspace_id = v_workspace) THEN
    PERFORM miftah.lock_workspace(v_workspace, false);
  END IF;
  FOR v_change IN SELECT jsonb_array_elements(p->'keys') LOOP
    IF EXISTS (
      SELECT FROM miftah.keys k JOIN miftah.usage u ON u.id = k.id
      WHERE k.id = v_change->>'id' AND k.workspace_id = v_workspace
        AND k.revoked_at_ms IS NULL AND k.version = (v_change->>'version')::bigint
        AND (coalesce(u.last_used_at_ms, k.created_at_ms) <= v_not_used_after) IS NOT FALSE
    ) THEN
      PERFORM miftah.revoke_key(p - 'keys' || v_change);
    END IF;
    IF EXISTS (
      SELECT FROM miftah.events e
      WHERE e.id = v_change->'event'->>'id' AND e.key_id = v_change->>'id'
        AND e.workspace_id = v_workspace
    ) THEN
      v_revoked := v_revoked || (v_change->>'id');
    END IF;
  END LOOP;
  RETURN json_build_object(
    'revoked', v_revoked);
END
$body$;

CREATE FUNCTION miftah.rotate_key(p jsonb) ${CALLED}
DECLARE
  v_workspace text NOT NULL := p->>'workspaceId';
  v_rotated_at bigint NOT NULL := (p->>'rotatedAtMs')::bigint;
  v_at bigint;
  v_retires_at bigint := (p->>'retiresAtMs')::bigint;
  v_limit bigint := (p->>'retiringLimit')::bigint;
  v_replacement jsonb NOT NULL := p->'replacement';
  v_key miftah.keys;
  v_new miftah.keys;
  v_seq bigint;
BEGIN
  ${LOCK_TIMEOUT}
  ${FIND_AND_LOCK}
  v_at := miftah.decided_at(p, v_rotated_at, v_workspace);
  ${NOT_FOUND_IF_ERASED}
  IF v_retires_at IS NOT NULL
    AND (SELECT count(*) FROM miftah.keys k
      WHERE k.workspace_id = v_workspace AND k.revoked_at_ms IS NULL AND k.retires_at_ms > v_at
    ) >= v_limit
    AND EXISTS (SELECT FROM miftah.keys k
      WHERE k.id = v_key.id AND k.version = (p->>'version')::bigint
        AND k.revoked_at_ms IS NULL AND k.replaced_by IS NULL
        AND NOT (k.expires_at_ms <= v_at) IS TRUE)
  THEN
    RETURN json_build_object('outcome', 'too_many_retiring', 'retiringKeys',
      (SELECT count(*) FROM miftah.keys k
        WHERE k.workspace_id = v_workspace AND k.revoked_at_ms IS NULL AND k.retires_at_ms > v_at));
  END IF;
  UPDATE miftah.keys k
    SET revoked_at_ms = CASE WHEN v_retires_at IS NULL THEN v_rotated_at END,
      retires_at_ms = v_retires_at, replaced_by = v_replacement->>'id',
      version = k.version + 1, updated_at_ms = v_rotated_at
    WHERE k.id = v_key.id AND k.version = (p->>'version')::bigint
      AND k.revoked_at_ms IS NULL AND k.replaced_by IS NULL
      AND NOT (k.expires_at_ms <= v_at) IS TRUE;
  IF FOUND THEN
    PERFORM miftah.store_key(
      v_replacement || jsonb_build_object('replaces', v_key.id), v_workspace, v_seq);
    PERFORM miftah.store_event(p->'event', v_workspace, v_seq);
  END IF;
  SELECT k.* INTO STRICT v_key FROM miftah.keys k WHERE k.id = v_key.id;
  SELECT k.* INTO v_new FROM miftah.keys k
    WHERE k.id = v_key.replaced_by AND k.id = v_replacement->>'id'
      AND k.hash = (v_replacement->>'hash')::bytea;
  IF NOT FOUND THEN
    RETURN json_build_object(
      'outcome', (
        SELECT CASE
          WHEN k.revoked_at_ms IS NULL AND k.replaced_by IS NULL
            AND (k.expires_at_ms <= v_at) IS TRUE
          THEN 'expired' ELSE 'stale' END
        FROM miftah.keys k WHERE k.id = v_key.id),
      'record', ${storedKey('v_key.id')});
  END IF;
  RETURN json_build_object(
    'outcome', 'rotated',
    'replaced', ${storedKey('v_key.id')},
    'replacement', ${storedKey('v_new.id')},
    'sequence', ${SEQUENCE});
END
$body$;

-- Makes several changes in one transaction, so that they wait for the log's row and for the disk
-- together. Each has its own guard and answer. The answer is null for one that has to be made alone:
-- somebody has its key locked, and a wait for that would hold the log's row; or it has failed. The
-- locks of the workspaces are taken in one order, before that of the log.
CREATE FUNCTION miftah.change_keys(p jsonb) ${CALLED}
DECLARE
  v_change jsonb;
  v_answer json;
  v_answers text[] := '{}';
  v_keys text[];
BEGIN
  PERFORM set_config('lock_timeout', '200', true);
  BEGIN
    PERFORM FROM miftah.workspaces w
      WHERE w.workspace_id IN (
        SELECT c->'argument'->>'workspaceId' FROM jsonb_array_elements(p->'changes') AS c)
      ORDER BY w.workspace_id FOR NO KEY UPDATE;
    v_keys := ARRAY(
      SELECT k.id FROM miftah.keys k
        WHERE k.id IN (SELECT c->'argument'->>'id' FROM jsonb_array_elements(p->'changes') AS c)
        FOR UPDATE SKIP LOCKED);
  EXCEPTION WHEN lock_not_available THEN
    RETURN '[]';
  END;
  FOR v_change IN SELECT jsonb_array_elements(p->'changes') LOOP
    v_answer := NULL;
    IF v_change->'argument'->>'id' = ANY (v_keys) THEN
      BEGIN
        v_answer := CASE v_change->>'name'
          WHEN 'update_key' THEN miftah.update_key(v_change->'argument')
          WHEN 'rotate_key' THEN miftah.rotate_key(v_change->'argument')
          WHEN 'revoke_key' THEN miftah.revoke_key(v_change->'argument') END;
      EXCEPTION WHEN OTHERS THEN
        v_answer := NULL;
      END;
    END IF;
    v_answers := array_append(v_answers, v_answer::text);
  END LOOP;
  RETURN to_json(v_answers);
END
$body$;

-- Writes the row of the workspace, if it has one, so that the commit waits for what was read
-- before.
CREATE FUNCTION miftah.confirm_keys(p jsonb) ${CALLED}
DECLARE
  v_workspace text NOT NULL := p->>'workspaceId';
BEGIN
  ${LOCK_TIMEOUT}
  IF EXISTS (SELECT FROM miftah.workspaces w WHERE w.workspace_id = v_workspace) THEN
    PERFORM miftah.lock_workspace(v_workspace, false);
  END IF;
  RETURN json_build_object(
    'sequence', ${SEQUENCE});
END
$body$;`
