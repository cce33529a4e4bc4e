import type { Names } from '../names.ts'
import { changeFunction, LOCK_TIMEOUT_OF_CALL } from './functions.ts'

type At = Names['at']

/** How long the last batch of a writer that fell silent is remembered. */
const WRITER_KEPT = '30 days'

/**
 * Version 1: what comes in a steady flow, uses and the delivery of events. A repeat locks the row that
 * tells it is one. That is written to the log, so the repeat commits no sooner than what it repeats.
 */
export function flows({ at }: Names): string {
  return `${addUses(at)}${claimEvents(at)}${settleEvents(at)}${releaseEvents(at)}`
}

/** The server's clock, in milliseconds since the epoch. */
const NOW_MS = `(extract(epoch FROM clock_timestamp()) * 1000)::bigint`

/**
 * Keys are locked in the order of their ids, so two batches never wait for each other in a circle;
 * and no step here waits for a workspace, which is what the changes hold while they wait for a key.
 * A stored last use that is ahead of the clock does not count: the bounded one replaces it.
 */
const addUses = (at: At) =>
  changeFunction(
    `${at('add_uses')}(
    p_writer text, p_sequence bigint, p_ids text[], p_uses bigint[], p_at bigint[])`,
    'void',
    `
  DECLARE v_now bigint NOT NULL := ${NOW_MS};
  BEGIN
    PERFORM ${at('commit_durably')}();
    INSERT INTO ${at('writers')} AS w VALUES (p_writer, p_sequence, clock_timestamp())
      ON CONFLICT (writer) DO UPDATE
        SET sequence = excluded.sequence, seen_at = excluded.seen_at
        WHERE w.sequence < excluded.sequence;
    IF NOT FOUND THEN
      RETURN;
    END IF;
    WITH given AS MATERIALIZED (
      SELECT u.id, sum(u.uses)::bigint AS uses, least(max(u.at), v_now) AS at
      FROM unnest(p_ids, p_uses, p_at) AS u (id, uses, at) GROUP BY u.id
    ), held AS MATERIALIZED (
      SELECT k.id FROM ${at('keys')} k WHERE k.id IN (SELECT g.id FROM given g)
      ORDER BY k.id FOR NO KEY UPDATE
    )
    UPDATE ${at('keys')} k
      SET uses = least(k.uses + g.uses, ${Number.MAX_SAFE_INTEGER}), last_used_at_ms =
        CASE WHEN k.last_used_at_ms > v_now THEN g.at ELSE greatest(k.last_used_at_ms, g.at) END
      FROM held h JOIN given g USING (id) WHERE k.id = h.id;
    IF p_sequence = 1 THEN
      DELETE FROM ${at('writers')} w WHERE w.writer IN (
        SELECT o.writer FROM ${at('writers')} o
        WHERE o.seen_at < clock_timestamp() - interval '${WRITER_KEPT}'
        LIMIT 100 FOR UPDATE SKIP LOCKED
      );
    END IF;
  END`,
  )

/** A lease that ends later than it possibly can is from before the clock was set back. */
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
  BEGIN
    ${LOCK_TIMEOUT_OF_CALL}
    IF NOT EXISTS (
      SELECT FROM ${at('outbox')} o JOIN ${at('events')} e ON e.id = o.event_id
      WHERE e.workspace_id <> ALL (v_except)
    ) THEN
      RETURN '[]';
    END IF;
    UPDATE ${at('relay')} r
      SET holder = v_relay, until_ms = v_now + v_lease, lease_ms = v_lease
      WHERE r.holder = v_relay OR r.until_ms <= v_now OR r.until_ms > v_now + 2 * r.lease_ms;
    IF NOT FOUND THEN
      RETURN '[]';
    END IF;
    RETURN coalesce((
      SELECT json_agg(${at('event_record')}(u.event) ORDER BY u.position)
      FROM (
        SELECT o.position, e AS event
        FROM ${at('outbox')} o JOIN ${at('events')} e ON e.id = o.event_id
        WHERE e.workspace_id <> ALL (v_except) ORDER BY o.position LIMIT v_limit
      ) u
    ), '[]');
  END`,
  )

const settleEvents = (at: At) =>
  changeFunction(
    `${at('settle_events')}(p_relay text, p_ids text[])`,
    'void',
    `
  BEGIN
    PERFORM ${at('commit_durably')}();
    PERFORM FROM ${at('relay')} r WHERE r.holder = p_relay FOR UPDATE;
    IF FOUND THEN
      DELETE FROM ${at('outbox')} o WHERE o.event_id = ANY (p_ids);
    END IF;
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
