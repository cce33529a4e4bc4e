import type { Names } from '../../names.ts'

/** The functions of version 1 for uses and events. Released, and so never changed. */
export function flows({ at }: Names): string {
  return `
  CREATE FUNCTION ${at('add_uses')}(
    p_writer text, p_sequence bigint, p_ids text[], p_uses bigint[], p_at bigint[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s'
  AS $body$
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
        WHERE o.seen_at < clock_timestamp() - interval '30 days'
        LIMIT 100 FOR UPDATE SKIP LOCKED
      );
    END IF;
  END
  $body$;
  CREATE FUNCTION ${at('claim_events')}(p jsonb) RETURNS json LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s'
  AS $body$
  DECLARE
    v_relay text NOT NULL := p->>'relay';
    v_now bigint NOT NULL := (p->>'nowMs')::bigint;
    v_until bigint NOT NULL := v_now + (p->>'leaseMs')::bigint;
    v_limit bigint NOT NULL := (p->>'limit')::bigint;
  BEGIN
    PERFORM set_config(
      'lock_timeout', coalesce(p->>'lockTimeoutMs', current_setting('lock_timeout')), true);
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
  END
  $body$;
  CREATE FUNCTION ${at('settle_events')}(p_relay text, p_ids text[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s'
  AS $body$
  BEGIN
    PERFORM FROM ${at('relay')} r WHERE r.holder = p_relay FOR UPDATE;
    IF FOUND THEN
      DELETE FROM ${at('outbox')} o WHERE o.event_id = ANY (p_ids);
    END IF;
  END
  $body$;`
}
