import type { Names } from '../names.ts'
import { changeFunction, LOCK_TIMEOUT_OF_CALL } from './functions.ts'

type At = Names['at']

/** How long the last batch of a writer that fell silent is remembered. */
const WRITER_KEPT = '30 days'

/** Version 1: what comes in a steady flow, uses and the delivery of events. */
export function flows({ at }: Names): string {
  return `${addUses(at)}${claimEvents(at)}${settleEvents(at)}`
}

/**
 * Keys are locked in the order of their ids, so two batches never wait for each other in a circle;
 * and no step here waits for a workspace, which is what the changes hold while they wait for a key.
 */
const addUses = (at: At) =>
  changeFunction(
    `${at('add_uses')}(
    p_writer text, p_sequence bigint, p_ids text[], p_uses bigint[], p_at bigint[])`,
    'void',
    `
  BEGIN
    INSERT INTO ${at('writers')} AS w VALUES (p_writer, p_sequence, clock_timestamp())
      ON CONFLICT (writer) DO UPDATE
        SET sequence = excluded.sequence, seen_at = excluded.seen_at
        WHERE w.sequence < excluded.sequence;
    IF NOT FOUND THEN
      RETURN;
    END IF;
    WITH given AS MATERIALIZED (
      SELECT u.id, sum(u.uses)::bigint AS uses, max(u.at) AS at
      FROM unnest(p_ids, p_uses, p_at) AS u (id, uses, at) GROUP BY u.id
    ), held AS MATERIALIZED (
      SELECT k.id FROM ${at('keys')} k WHERE k.id IN (SELECT g.id FROM given g)
      ORDER BY k.id FOR NO KEY UPDATE
    )
    UPDATE ${at('keys')} k
      SET uses = k.uses + g.uses, last_used_at_ms = greatest(k.last_used_at_ms, g.at)
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

const claimEvents = (at: At) =>
  changeFunction(
    `${at('claim_events')}(p jsonb)`,
    'json',
    `
  DECLARE
    v_relay text NOT NULL := p->>'relay';
    v_now bigint NOT NULL := (p->>'nowMs')::bigint;
    v_until bigint NOT NULL := v_now + (p->>'leaseMs')::bigint;
    v_limit bigint NOT NULL := (p->>'limit')::bigint;
  BEGIN
    ${LOCK_TIMEOUT_OF_CALL}
    IF NOT EXISTS (SELECT FROM ${at('outbox')}) THEN
      RETURN '[]';
    END IF;
    UPDATE ${at('relay')} r SET holder = v_relay, until_ms = v_until
      WHERE r.holder = v_relay OR r.until_ms <= v_now;
    IF NOT FOUND THEN
      RETURN '[]';
    END IF;
    RETURN coalesce((
      SELECT json_agg(${at('event_record')}(e) ORDER BY o.position)
      FROM (SELECT x.* FROM ${at('outbox')} x ORDER BY x.position LIMIT v_limit) o
      JOIN ${at('events')} e ON e.id = o.event_id
    ), '[]');
  END`,
  )

const settleEvents = (at: At) =>
  changeFunction(
    `${at('settle_events')}(p_relay text, p_ids text[])`,
    'void',
    `
  BEGIN
    PERFORM FROM ${at('relay')} r WHERE r.holder = p_relay FOR UPDATE;
    IF FOUND THEN
      DELETE FROM ${at('outbox')} o WHERE o.event_id = ANY (p_ids);
    END IF;
  END`,
  )
