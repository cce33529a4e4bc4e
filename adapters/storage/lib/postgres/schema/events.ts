import { CALLED, LOCK_TIMEOUT } from './fragments.ts'

/** The delivery of events. */
export const EVENTS = `
-- A lease that ends later than it can end was taken before the server's clock was set back. Both
-- reads of the outbox are in the order of its index, so that none begins before acknowledged_to.
CREATE FUNCTION miftah.claim_events(p jsonb) ${CALLED}
DECLARE
  v_relay text NOT NULL := p->>'relay';
  v_now bigint NOT NULL := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
  v_lease bigint NOT NULL := (p->>'leaseMs')::bigint;
  v_limit bigint NOT NULL := (p->>'limit')::bigint;
  v_except text[] NOT NULL := ARRAY(SELECT jsonb_array_elements_text(p->'except'));
  v_acknowledged_to bigint NOT NULL := (SELECT r.acknowledged_to FROM miftah.relay r);
BEGIN
  ${LOCK_TIMEOUT}
  PERFORM FROM miftah.outbox o JOIN miftah.events e ON e.id = o.event_id
    WHERE o.position > v_acknowledged_to AND e.workspace_id <> ALL (v_except)
    ORDER BY o.position LIMIT 1;
  IF NOT FOUND THEN
    RETURN '[]';
  END IF;
  UPDATE miftah.relay r
    SET holder = v_relay, until_ms = v_now + v_lease, lease_ms = v_lease
    WHERE r.holder = v_relay OR r.until_ms <= v_now OR r.until_ms > v_now + 2 * r.lease_ms;
  IF NOT FOUND THEN
    RETURN '[]';
  END IF;
  RETURN coalesce((
    SELECT jsonb_agg(to_jsonb(u.event) ORDER BY u.position)
    FROM (
      SELECT o.position, e AS event
      FROM miftah.outbox o JOIN miftah.events e ON e.id = o.event_id
      WHERE o.position > v_acknowledged_to AND e.workspace_id <> ALL (v_except)
      ORDER BY o.position LIMIT v_limit
    ) u
  ), '[]');
END
$body$;

-- The id of a transaction that has written before may be too low to move acknowledged_to on; see the
-- table relay.
CREATE FUNCTION miftah.acknowledge_events(p jsonb) ${CALLED}
DECLARE
  v_is_first_write boolean NOT NULL := pg_current_xact_id_if_assigned() IS NULL;
  v_ids text[] NOT NULL := ARRAY(SELECT jsonb_array_elements_text(p->'eventIds'));
  v_relay miftah.relay;
  v_acknowledged_to bigint;
  v_before_open bigint;
BEGIN
  ${LOCK_TIMEOUT}
  PERFORM miftah.commit_durably();
  SELECT r.* INTO v_relay FROM miftah.relay r WHERE r.holder = p->>'relay' FOR UPDATE;
  IF FOUND THEN
    WITH gone AS (
      DELETE FROM miftah.outbox o WHERE o.event_id = ANY (v_ids) RETURNING o.position
    )
    SELECT max(g.position) INTO v_acknowledged_to FROM gone g;
    DELETE FROM miftah.events e USING miftah.workspaces w
      WHERE e.id = ANY (v_ids) AND w.workspace_id = e.workspace_id AND w.is_erased
        AND NOT EXISTS (SELECT FROM miftah.outbox o WHERE o.event_id = e.id);
    IF v_relay.next_after < pg_snapshot_xmin(pg_current_snapshot()) THEN
      SELECT o.position - 1 INTO v_before_open FROM miftah.outbox o
        WHERE o.position > v_relay.acknowledged_to ORDER BY o.position LIMIT 1;
      v_relay.acknowledged_to := greatest(
        v_relay.acknowledged_to, least(v_relay.next_acknowledged_to, v_before_open));
      v_relay.next_after := NULL;
    END IF;
    IF v_is_first_write AND v_acknowledged_to IS NOT NULL
      AND coalesce(v_relay.next_after > pg_current_xact_id(), true)
    THEN
      v_relay.next_acknowledged_to := v_acknowledged_to;
      v_relay.next_after := pg_current_xact_id();
    END IF;
    UPDATE miftah.relay r SET acknowledged_to = v_relay.acknowledged_to,
      next_acknowledged_to = v_relay.next_acknowledged_to, next_after = v_relay.next_after;
  END IF;
  RETURN 'null';
END
$body$;

CREATE FUNCTION miftah.release_events(p jsonb) ${CALLED}
BEGIN
  ${LOCK_TIMEOUT}
  UPDATE miftah.relay r SET holder = NULL, until_ms = -9007199254740991
    WHERE r.holder = p->>'relay';
  RETURN 'null';
END
$body$;`
