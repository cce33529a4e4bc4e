import { CALLED, failIf, failIfLeft, LOCK_TIMEOUT, SEQUENCE } from './fragments.ts'

const ANSWER = `RETURN json_build_object('keys', v_keys, 'events', v_events,
    'more', v_keys > 0 OR v_events = v_limit,
    'sequence', ${SEQUENCE});`

const DELETE_HISTORY = `PERFORM FROM miftah.usage u WHERE u.id = ANY (v_ids) ORDER BY u.id FOR UPDATE;
  DELETE FROM miftah.usage_hours h WHERE h.id = ANY (v_ids);
  DELETE FROM miftah.usage_days d WHERE d.id = ANY (v_ids);`

/**
 * Erases and purges. A role needs the right to call these functions for itself.
 *
 * With a cache, a change of keys holds the row of the log of changes until it commits, and every
 * other change waits for it. So what takes long, the search for events and the deletion of the
 * history of keys, is in a step of its own, or comes first. The rows of usage are locked first, as
 * a batch of uses locks them. A trigger of the host may have swallowed a change, so each step looks
 * again at what it was to change.
 */
export const ERASURE = `
-- Puts the pseudonym in the place of a person. Keys are locked in the order of their ids, so that
-- two erasures never deadlock. One that waited for another looks again.
CREATE FUNCTION miftah.erase_person(p jsonb) ${CALLED}
DECLARE
  v_person text NOT NULL := p->>'personId';
  v_limit bigint NOT NULL := (p->>'limit')::bigint;
  v_ids text[];
  v_keys bigint;
  v_events bigint := 0;
BEGIN
  ${LOCK_TIMEOUT}
  PERFORM miftah.commit_durably();
  LOOP
    v_ids := ARRAY(
      SELECT k.id FROM miftah.keys k WHERE k.creator_id = v_person
      UNION SELECT k.id FROM miftah.keys k WHERE k.paused_by_id = v_person
      LIMIT v_limit);
    PERFORM FROM miftah.keys k WHERE k.id = ANY (v_ids) ORDER BY k.id FOR NO KEY UPDATE;
    UPDATE miftah.keys x
      SET version = x.version + 1,
        creator_id = CASE WHEN x.creator_id = v_person THEN 'miftah:erased' ELSE x.creator_id END,
        creator_name = CASE WHEN x.creator_id = v_person THEN 'Erased' ELSE x.creator_name END,
        paused_by_id = CASE
          WHEN x.paused_by_id = v_person THEN 'miftah:erased' ELSE x.paused_by_id END,
        paused_by_name = CASE
          WHEN x.paused_by_id = v_person THEN 'Erased' ELSE x.paused_by_name END
      WHERE x.id = ANY (v_ids) AND (x.creator_id = v_person OR x.paused_by_id = v_person);
    GET DIAGNOSTICS v_keys = ROW_COUNT;
    IF EXISTS (SELECT FROM miftah.keys x
      WHERE x.id = ANY (v_ids) AND (x.creator_id = v_person OR x.paused_by_id = v_person)
    ) THEN
      RAISE EXCEPTION 'miftah: the person could not be erased' USING ERRCODE = 'restrict_violation';
    END IF;
    EXIT WHEN v_keys > 0 OR cardinality(v_ids) = 0;
  END LOOP;
  IF v_keys = 0 THEN
    v_ids := ARRAY(
      SELECT e.id FROM miftah.events e WHERE e.actor_id = v_person LIMIT v_limit);
    UPDATE miftah.events x
      SET actor_id = CASE WHEN x.actor_id = v_person THEN 'miftah:erased' ELSE x.actor_id END,
        actor_name = CASE WHEN x.actor_id = v_person THEN 'Erased' ELSE x.actor_name END
      WHERE x.id = ANY (v_ids);
    GET DIAGNOSTICS v_events = ROW_COUNT;
    IF EXISTS (SELECT FROM miftah.events x WHERE x.id = ANY (v_ids) AND x.actor_id = v_person) THEN
      RAISE EXCEPTION 'miftah: the person could not be erased' USING ERRCODE = 'restrict_violation';
    END IF;
  END IF;
  ${ANSWER}
END
$body$;

-- Keys that live are revoked first, which the log of changes tells to the nodes with a cache.
CREATE FUNCTION miftah.erase_workspace(p jsonb) ${CALLED}
DECLARE
  v_workspace text NOT NULL := p->>'workspaceId';
  v_at bigint NOT NULL := (p->>'erasedAtMs')::bigint;
  v_limit bigint NOT NULL := (p->>'limit')::bigint;
  v_is_erased boolean;
  v_ids text[];
  v_keys bigint;
  v_events bigint := 0;
BEGIN
  ${LOCK_TIMEOUT}
  PERFORM miftah.lock_workspace(v_workspace, true);
  UPDATE miftah.workspaces w SET is_erased = true WHERE w.workspace_id = v_workspace
    RETURNING w.is_erased INTO v_is_erased;
  ${failIf('v_is_erased IS NOT TRUE', 'the workspace could not be closed')}
  v_ids := ARRAY(
    SELECT k.id FROM miftah.keys k
      WHERE k.workspace_id = v_workspace AND k.revoked_at_ms IS NULL
    UNION ALL SELECT k.id FROM miftah.keys k
      WHERE k.workspace_id = v_workspace AND k.revoked_at_ms IS NOT NULL
    LIMIT v_limit);
  ${DELETE_HISTORY}
  UPDATE miftah.keys k
    SET revoked_at_ms = least(v_at, k.retires_at_ms), version = k.version + 1, updated_at_ms = v_at
    WHERE k.id = ANY (v_ids) AND k.revoked_at_ms IS NULL;
  DELETE FROM miftah.keys k WHERE k.id = ANY (v_ids);
  ${failIfLeft('keys')}
  DELETE FROM miftah.usage u WHERE u.id = ANY (v_ids);
  ${failIfLeft('usage')}
  v_keys := cardinality(v_ids);
  IF v_keys = 0 THEN
    v_ids := ARRAY(
      SELECT e.id FROM miftah.events e WHERE e.workspace_id = v_workspace
        AND NOT EXISTS (SELECT FROM miftah.outbox o WHERE o.event_id = e.id) LIMIT v_limit);
    DELETE FROM miftah.events d WHERE d.id = ANY (v_ids);
    ${failIfLeft('events')}
    v_events := cardinality(v_ids);
    DELETE FROM miftah.purged g WHERE g.workspace_id = v_workspace;
  END IF;
  ${ANSWER}
END
$body$;

-- Whatever is deleted leaves its place behind, for the cursors that name it.
CREATE FUNCTION miftah.purge(p jsonb) ${CALLED}
DECLARE
  v_now bigint NOT NULL := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
  v_ended bigint := (p->>'endedBeforeMs')::bigint;
  v_events_before bigint := (p->>'eventsBeforeMs')::bigint;
  v_limit bigint NOT NULL := (p->>'limit')::bigint;
  v_ids text[];
  v_keys bigint;
  v_events bigint := 0;
BEGIN
  ${LOCK_TIMEOUT}
  v_ids := ARRAY(
    SELECT k.id FROM miftah.keys k
    WHERE v_ended IS NOT NULL AND k.format IS NULL
      AND LEAST(k.revoked_at_ms, k.retires_at_ms, k.expires_at_ms) < least(v_ended, v_now)
    ORDER BY LEAST(k.revoked_at_ms, k.retires_at_ms, k.expires_at_ms)
    LIMIT v_limit FOR UPDATE SKIP LOCKED);
  ${DELETE_HISTORY}
  WITH gone AS (
    DELETE FROM miftah.keys k WHERE k.id = ANY (v_ids) RETURNING k.id, k.workspace_id, k.seq
  )
  INSERT INTO miftah.purged (kind, id, workspace_id, seq)
    SELECT 'key', g.id, g.workspace_id, g.seq FROM gone g;
  GET DIAGNOSTICS v_keys = ROW_COUNT;
  ${failIfLeft('keys')}
  DELETE FROM miftah.usage u WHERE u.id = ANY (v_ids);
  ${failIfLeft('usage')}
  IF v_keys = 0 THEN
    v_ids := ARRAY(
      SELECT e.id FROM miftah.events e
      WHERE v_events_before IS NOT NULL AND e.at_ms < least(v_events_before, v_now)
        AND NOT EXISTS (SELECT FROM miftah.outbox o WHERE o.event_id = e.id)
      ORDER BY e.at_ms LIMIT v_limit FOR UPDATE SKIP LOCKED);
    WITH gone AS (
      DELETE FROM miftah.events d WHERE d.id = ANY (v_ids)
      RETURNING d.id, d.workspace_id, d.seq
    )
    INSERT INTO miftah.purged (kind, id, workspace_id, seq)
      SELECT 'event', g.id, g.workspace_id, g.seq FROM gone g;
    GET DIAGNOSTICS v_events = ROW_COUNT;
    ${failIfLeft('events')}
  END IF;
  ${ANSWER}
END
$body$;`
