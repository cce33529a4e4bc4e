import type { Names } from '../../names.ts'
import { changeFunction, LOCK_TIMEOUT_OF_CALL } from './functions.ts'
import { moveSettled } from './settled.ts'
import { addCounted, COUNTED, currentDay } from './usage-history.ts'

type At = Names['at']

/** How long the last batch of a silent writer is remembered. */
const WRITER_KEPT = '30 days'

/**
 * Uses and the delivery of events. A repeat locks the row by which it is recognised. The lock is
 * written to the log, so the repeat commits no sooner than the call that it repeats.
 */
export function flows({ at }: Names): string {
  return `${addUses(at)}${claimEvents(at)}${settleEvents(at)}${releaseEvents(at)}`
}

/** The server's clock, in milliseconds since the epoch. */
const NOW_MS = `(extract(epoch FROM clock_timestamp()) * 1000)::bigint`

/**
 * Rows are locked in the order of their ids, so that two batches never deadlock, and found by an array
 * of ids: with a join, the server would read a table of 10,000 rows from end to end. Keys are not
 * touched. A stored last use that is ahead of the clock is replaced.
 */
const addUses = (at: At) =>
  changeFunction(
    `${at('add_uses')}(p jsonb)`,
    'json',
    `
  DECLARE
    v_now bigint NOT NULL := ${NOW_MS};
    v_sequence bigint NOT NULL := (p->>'sequence')::bigint;
    v_day integer NOT NULL := ${currentDay(at)};
    -- Null without a history.
    v_first_day integer := v_day - (p->'history'->>'dailyForDays')::integer;
    v_first_hour integer := (v_day - (p->'history'->>'hourlyForDays')::integer) * 24;
    v_forgotten timestamptz NOT NULL := clock_timestamp() - interval '${WRITER_KEPT}';
  BEGIN
    ${LOCK_TIMEOUT_OF_CALL}
    PERFORM ${at('commit_durably')}();
    INSERT INTO ${at('writers')} AS w VALUES (p->>'writer', v_sequence, clock_timestamp())
      ON CONFLICT (writer) DO UPDATE
        SET sequence = excluded.sequence, seen_at = excluded.seen_at
        WHERE w.sequence < excluded.sequence;
    IF NOT FOUND THEN
      RETURN 'null';
    END IF;
    WITH given AS MATERIALIZED (
      SELECT u.id, sum(u.uses)::bigint AS uses, least(max(u."lastUsedAtMs"), v_now) AS at
      FROM jsonb_to_recordset(p->'uses') AS u (id text, uses bigint, "lastUsedAtMs" bigint)
      GROUP BY u.id
    ), ${COUNTED}, held AS MATERIALIZED (
      SELECT u.id FROM ${at('usage')} u WHERE u.id = ANY (ARRAY(
        SELECT g.id FROM given g UNION SELECT c.id FROM counted c))
      ORDER BY u.id FOR NO KEY UPDATE
    ), ${addCounted(at)}
    UPDATE ${at('usage')} u
      SET uses = least(u.uses + g.uses, ${Number.MAX_SAFE_INTEGER}), last_used_at_ms =
        CASE WHEN u.last_used_at_ms > v_now THEN g.at ELSE greatest(u.last_used_at_ms, g.at) END
      FROM held h JOIN given g USING (id) WHERE u.id = h.id;
    IF v_first_hour IS NOT NULL THEN
      PERFORM ${at('move_old_usage')}(v_first_hour, v_first_day);
    END IF;
    IF v_sequence = 1 THEN
      DELETE FROM ${at('writers')} w WHERE w.writer = ANY (ARRAY(
        SELECT o.writer FROM ${at('writers')} o
        WHERE o.seen_at < v_forgotten
        ORDER BY o.seen_at LIMIT 100 FOR UPDATE SKIP LOCKED
      ));
    END IF;
    RETURN 'null';
  END`,
  )

/**
 * A lease that ends later than it can end was taken before the server's clock was set back. Both reads
 * of the outbox are in the order of its index, so that none begins before `settled_to`.
 */
const claimEvents = (at: At) =>
  changeFunction(
    `${at('claim_events')}(p jsonb)`,
    'json',
    `
  DECLARE
    v_relay text NOT NULL := p->>'relay';
    v_now bigint NOT NULL := ${NOW_MS};
    v_lease bigint NOT NULL := (p->>'leaseMs')::bigint;
    v_limit bigint NOT NULL := (p->>'limit')::bigint;
    v_except text[] NOT NULL := ARRAY(SELECT jsonb_array_elements_text(p->'except'));
    v_settled_to bigint NOT NULL := (SELECT r.settled_to FROM ${at('relay')} r);
  BEGIN
    ${LOCK_TIMEOUT_OF_CALL}
    PERFORM FROM ${at('outbox')} o JOIN ${at('events')} e ON e.id = o.event_id
      WHERE o.position > v_settled_to AND e.workspace_id <> ALL (v_except)
      ORDER BY o.position LIMIT 1;
    IF NOT FOUND THEN
      RETURN '[]';
    END IF;
    UPDATE ${at('relay')} r
      SET holder = v_relay, until_ms = v_now + v_lease, lease_ms = v_lease
      WHERE r.holder = v_relay OR r.until_ms <= v_now OR r.until_ms > v_now + 2 * r.lease_ms;
    IF NOT FOUND THEN
      RETURN '[]';
    END IF;
    RETURN coalesce((
      SELECT jsonb_agg(to_jsonb(u.event) ORDER BY u.position)
      FROM (
        SELECT o.position, e AS event
        FROM ${at('outbox')} o JOIN ${at('events')} e ON e.id = o.event_id
        WHERE o.position > v_settled_to AND e.workspace_id <> ALL (v_except)
        ORDER BY o.position LIMIT v_limit
      ) u
    ), '[]');
  END`,
  )

const settleEvents = (at: At) =>
  changeFunction(
    `${at('settle_events')}(p jsonb)`,
    'json',
    `
  DECLARE
    v_is_first_write boolean NOT NULL := pg_current_xact_id_if_assigned() IS NULL;
    v_ids text[] NOT NULL := ARRAY(SELECT jsonb_array_elements_text(p->'eventIds'));
    v_relay ${at('relay')};
    v_settled_to bigint;
    v_before_open bigint;
  BEGIN
    ${LOCK_TIMEOUT_OF_CALL}
    PERFORM ${at('commit_durably')}();
    SELECT r.* INTO v_relay FROM ${at('relay')} r WHERE r.holder = p->>'relay' FOR UPDATE;
    IF FOUND THEN
      WITH gone AS (
        DELETE FROM ${at('outbox')} o WHERE o.event_id = ANY (v_ids) RETURNING o.position
      )
      SELECT max(g.position) INTO v_settled_to FROM gone g;
      DELETE FROM ${at('events')} e USING ${at('workspaces')} w
        WHERE e.id = ANY (v_ids) AND w.workspace_id = e.workspace_id AND w.is_erased
          AND NOT EXISTS (SELECT FROM ${at('outbox')} o WHERE o.event_id = e.id);
      ${moveSettled(at)}
    END IF;
    RETURN 'null';
  END`,
  )

const releaseEvents = (at: At) =>
  changeFunction(
    `${at('release_events')}(p jsonb)`,
    'json',
    `
  BEGIN
    ${LOCK_TIMEOUT_OF_CALL}
    UPDATE ${at('relay')} r SET holder = NULL, until_ms = -9007199254740991
      WHERE r.holder = p->>'relay';
    RETURN 'null';
  END`,
  )
