import { failIf, STEP } from './fragments.ts'

/** The steps that changes are made of. They run with the rights of their caller. */
export const STEPS = `
-- A key and its usage as a JSON object by column, so that a new column needs no new function. The
-- hash is written as hex digits here, because a setting of the session decides how bytea looks as
-- text.
CREATE FUNCTION miftah.stored_key(k miftah.keys, u miftah.usage) RETURNS jsonb
  LANGUAGE sql STABLE
  RETURN pg_catalog.to_jsonb(k) OPERATOR(pg_catalog.||) pg_catalog.to_jsonb(u)
    OPERATOR(pg_catalog.||) pg_catalog.jsonb_build_object('hash', pg_catalog.encode(k.hash, 'hex'));

-- Makes the commit of this transaction wait for the disk, and for a synchronous standby if there is
-- one, whatever the session is set to. A SET clause of a function cannot do that: it is undone when
-- the function returns, and the commit comes later.
CREATE FUNCTION miftah.commit_durably() RETURNS void
  ${STEP}
BEGIN
  IF current_setting('synchronous_commit') IN ('off', 'local') THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
END
$body$;

-- Locks the workspace and answers the number of this change. The row is updated, not only locked,
-- so that a transaction with an old snapshot fails with a serialization failure instead of missing
-- keys when it counts.
CREATE FUNCTION miftah.lock_workspace(p_workspace text, p_is_new boolean) RETURNS bigint
  ${STEP}
DECLARE v_seq bigint;
BEGIN
  PERFORM miftah.commit_durably();
  IF p_is_new THEN
    INSERT INTO miftah.workspaces AS w (workspace_id, changes) VALUES (p_workspace, 1)
      ON CONFLICT (workspace_id) DO UPDATE SET changes = w.changes + 1
      RETURNING w.changes INTO STRICT v_seq;
  ELSE
    UPDATE miftah.workspaces w SET changes = w.changes + 1
      WHERE w.workspace_id = p_workspace RETURNING w.changes INTO STRICT v_seq;
  END IF;
  RETURN v_seq;
END
$body$;

-- When a change of the instant p_at is decided: the wait since its call later, and not before the
-- end of a key of the workspace that once counted as expired. calledAtMs makes the wait a little
-- too long; without it the wait is that in the caller's process and in this server, and a little
-- too short.
CREATE FUNCTION miftah.decided_at(p jsonb, p_at bigint, p_workspace text) RETURNS bigint
  ${STEP}
DECLARE v_now double precision := date_part('epoch', clock_timestamp()) * 1000;
BEGIN
  RETURN greatest(
    p_at + floor(greatest(0, v_now - (p->>'calledAtMs')::double precision,
      coalesce((p->>'waitedMs')::double precision, 0)
        + v_now - date_part('epoch', statement_timestamp()) * 1000))::bigint,
    (SELECT least(w.expired_to_ms, v_now::bigint + 60000)
      FROM miftah.workspaces w
      WHERE w.workspace_id = p_workspace AND w.expired_to_ms IS NOT NULL));
END
$body$;

-- Stores a record that is given as a JSON object by column. A taken hash is refused here:
-- PostgreSQL would refuse it as well, and quote it in its log.
CREATE FUNCTION miftah.store_key(p jsonb, p_workspace text, p_seq bigint) RETURNS void
  ${STEP}
DECLARE v_key miftah.keys := jsonb_populate_record(
  NULL::miftah.keys, p || jsonb_build_object('seq', p_seq));
BEGIN
  IF v_key.workspace_id IS DISTINCT FROM p_workspace THEN
    RAISE EXCEPTION 'miftah: the key is of another workspace' USING ERRCODE = 'check_violation';
  END IF;
  INSERT INTO miftah.usage (id, uses) VALUES (v_key.id, 0) ON CONFLICT DO NOTHING;
  IF FOUND THEN
    INSERT INTO miftah.keys SELECT v_key.* ON CONFLICT DO NOTHING;
  END IF;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'miftah: this hash, id or link is taken' USING ERRCODE = 'unique_violation';
  END IF;
END
$body$;

-- Stores an event and puts it into the outbox. Positions only grow, unless somebody sets their
-- sequence back: logical replication copies relay and no sequence, so the first positions after a
-- switch would count as acknowledged. That is why acknowledged_to moves back before the event.
CREATE FUNCTION miftah.store_event(p jsonb, p_workspace text, p_seq bigint) RETURNS void
  ${STEP}
DECLARE v_position bigint;
BEGIN
  IF p->>'workspaceId' IS DISTINCT FROM p_workspace THEN
    RAISE EXCEPTION 'miftah: the event is of another workspace' USING ERRCODE = 'check_violation';
  END IF;
  INSERT INTO miftah.events (
    id, workspace_id, seq, type, at_ms, actor_id, actor_name, key_id, data
  ) VALUES (
    p->>'id', p_workspace, p_seq, p->>'type', (p->>'atMs')::bigint,
    p->'actor'->>'id', p->'actor'->>'name', p->>'keyId', p->'data'
  );
  ${failIf('NOT FOUND', 'the event could not be stored')}
  INSERT INTO miftah.outbox (event_id) VALUES (p->>'id') RETURNING position INTO v_position;
  UPDATE miftah.relay r
    SET acknowledged_to = LEAST(r.acknowledged_to, v_position - 1), next_acknowledged_to = NULL, next_after = NULL
    WHERE r.acknowledged_to >= v_position OR r.next_acknowledged_to >= v_position;
END
$body$;`
