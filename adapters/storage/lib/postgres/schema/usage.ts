import { CALLED, LOCK_TIMEOUT, STEP } from './fragments.ts'

/** Counts uses, by hour and by day. */
export const USAGE = `
-- Adds a batch of uses, once: a repeat locks the row of its writer, by which it is recognised. The
-- lock is written to the log, so the repeat commits no sooner than the call that it repeats. Rows
-- are locked in the order of their ids, so that two batches never deadlock, and found by an array
-- of ids: with a join, the server would read a table of 10,000 rows from end to end. Keys are not
-- touched. A stored last use that is ahead of the clock is replaced.
CREATE FUNCTION miftah.add_uses(p jsonb) ${CALLED}
DECLARE
  v_now bigint NOT NULL := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
  v_sequence bigint NOT NULL := (p->>'sequence')::bigint;
  v_kept miftah.usage_retention NOT NULL := (SELECT r FROM miftah.usage_retention r);
  v_today integer NOT NULL := v_now / 86400000;
  v_day integer NOT NULL := (
    SELECT CASE WHEN max(d.day) < v_today - 2 THEN max(d.day) ELSE v_today END
    FROM miftah.usage_days d WHERE d.day <= v_today - 2);
  -- Null without a history.
  v_first_day integer := v_day - (p->'history'->>'dailyForDays')::integer;
  v_first_hour integer := CASE WHEN v_first_day IS NOT NULL THEN greatest(
    (v_day - (p->'history'->>'hourlyForDays')::integer) * 24,
    least(v_kept.first_hour, v_today * 24)) END;
  v_forgotten timestamptz NOT NULL := clock_timestamp() - interval '30 days';
BEGIN
  ${LOCK_TIMEOUT}
  PERFORM miftah.commit_durably();
  INSERT INTO miftah.writers AS w (writer, sequence, seen_at)
    VALUES (p->>'writer', v_sequence, clock_timestamp())
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
  ), counted AS MATERIALIZED (
    SELECT c.id, greatest(v_first_hour, least(c.hour, v_now / 3600000))::integer AS hour,
      c.outcome, sum(c.count)::bigint AS count
    FROM jsonb_to_recordset(p->'history'->'counts')
      AS c (id text, hour bigint, outcome smallint, count bigint)
    GROUP BY 1, 2, 3
  ), held AS MATERIALIZED (
    SELECT u.id FROM miftah.usage u WHERE u.id = ANY (ARRAY(
      SELECT g.id FROM given g UNION SELECT c.id FROM counted c))
    ORDER BY u.id FOR NO KEY UPDATE
  ), hours AS (
    INSERT INTO miftah.usage_hours AS u (count, hour, outcome, id)
    SELECT c.count, c.hour, c.outcome, c.id FROM counted c JOIN held h USING (id)
    ON CONFLICT (hour, id, outcome)
      DO UPDATE SET count = least(u.count + excluded.count, 9007199254740991)
  ), days AS (
    INSERT INTO miftah.usage_days AS u (count, day, outcome, id)
    SELECT least(sum(c.count), 9007199254740991)::bigint, c.hour / 24, c.outcome, c.id FROM counted c JOIN held h USING (id)
    GROUP BY 2, 3, 4
    ON CONFLICT (day, id, outcome)
      DO UPDATE SET count = least(u.count + excluded.count, 9007199254740991)
  )
  UPDATE miftah.usage u
    SET uses = least(u.uses + g.uses, 9007199254740991), last_used_at_ms =
      CASE WHEN u.last_used_at_ms > v_now THEN g.at ELSE greatest(u.last_used_at_ms, g.at) END
    FROM held h JOIN given g USING (id) WHERE u.id = h.id;
  IF v_first_hour IS NOT NULL THEN
    PERFORM miftah.forget_old_usage(v_kept, v_first_hour, v_first_day);
  END IF;
  IF v_sequence = 1 THEN
    DELETE FROM miftah.writers w WHERE w.writer = ANY (ARRAY(
      SELECT o.writer FROM miftah.writers o
      WHERE o.seen_at < v_forgotten
      ORDER BY o.seen_at LIMIT 100 FOR UPDATE SKIP LOCKED
    ));
  END IF;
  RETURN 'null';
END
$body$;

-- Notes the first hour that is kept, and deletes hours and days before the first ones, a few at a
-- time. It waits for nobody, and does nothing where another call has changed what p_kept says. A
-- locked row can be found by its place. A full call may have left rows of the last period it took.
CREATE FUNCTION miftah.forget_old_usage(
  p_kept miftah.usage_retention, p_hour integer, p_day integer
) RETURNS void
  ${STEP}
DECLARE v_hours_from integer;
BEGIN
  IF p_kept.first_hour = p_hour AND p_kept.hours_from = p_hour AND p_kept.days_from = p_day THEN
    RETURN;
  END IF;
  PERFORM FROM miftah.usage_retention r WHERE r = p_kept FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  WITH old_hours AS MATERIALIZED (
    SELECT o.ctid AS place, o.hour FROM miftah.usage_hours o
    WHERE o.hour >= least(p_kept.hours_from, p_hour) AND o.hour < p_hour
    ORDER BY o.hour, o.id, o.outcome LIMIT 2000 FOR UPDATE SKIP LOCKED
  ), deleted AS (
    DELETE FROM miftah.usage_hours h
    WHERE h.ctid = ANY (ARRAY(SELECT o.place FROM old_hours o))
  )
  SELECT CASE WHEN count(*) = 2000 THEN max(o.hour) ELSE p_hour END INTO v_hours_from
  FROM old_hours o;
  WITH old_days AS MATERIALIZED (
    SELECT o.ctid AS place, o.day FROM miftah.usage_days o
    WHERE o.day >= least(p_kept.days_from, p_day) AND o.day < p_day
    ORDER BY o.day, o.id, o.outcome LIMIT 2000 FOR UPDATE SKIP LOCKED
  ), deleted AS (
    DELETE FROM miftah.usage_days d
    WHERE d.ctid = ANY (ARRAY(SELECT o.place FROM old_days o))
  )
  UPDATE miftah.usage_retention SET first_hour = p_hour, hours_from = v_hours_from, days_from = (
    SELECT CASE WHEN count(*) = 2000 THEN max(o.day) ELSE p_day END
    FROM old_days o
  );
END
$body$;`
