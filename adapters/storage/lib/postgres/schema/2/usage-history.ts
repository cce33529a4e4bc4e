import { HIGHEST_CODE, MOST_MOVED } from '../../../usage-history.ts'
import type { Names } from '../../names.ts'
import { helper } from './functions.ts'

type At = Names['at']

/**
 * The requests of each key by hour and by day. A period comes first in the primary key, so that the
 * rows of the current hour are in a few pages of it; columns are in the order that needs no padding.
 *
 * Rows reference `usage`, not `keys`: a batch and a deletion both lock rows of `usage` first, so they
 * cannot deadlock.
 *
 * `usage_retention` says where to look for what is too old. PostgreSQL keeps the entries of deleted rows
 * in an index until a vacuum, and reading them again would make every batch slower.
 */
export function usageHistory({ at, bare }: Names): string {
  const table = (period: 'hour' | 'day') => `
  CREATE TABLE ${at(`usage_${period}s`)} (
    count bigint NOT NULL
      CONSTRAINT ${bare(`usage_${period}s_count`)} CHECK (count BETWEEN 1 AND ${Number.MAX_SAFE_INTEGER}),
    ${period} integer NOT NULL,
    outcome smallint NOT NULL
      CONSTRAINT ${bare(`usage_${period}s_outcome`)} CHECK (outcome BETWEEN 0 AND ${HIGHEST_CODE}),
    id text COLLATE "C" NOT NULL REFERENCES ${at('usage')} (id) ON DELETE CASCADE,
    PRIMARY KEY (${period}, id, outcome)
  )`
  return `
  ${table('hour')} WITH (fillfactor = 85);
  CREATE INDEX ${bare('usage_hours_of_key')} ON ${at('usage_hours')} (id);
  ${table('day')};
  CREATE INDEX ${bare('usage_days_of_key')} ON ${at('usage_days')} (id);

  CREATE TABLE ${at('usage_retention')} (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    first_hour integer NOT NULL DEFAULT 0,
    first_day integer NOT NULL DEFAULT 0
  );
  INSERT INTO ${at('usage_retention')} DEFAULT VALUES;`
}

/** Today by the server's clock, or an earlier day where that clock may be wrong; see `keptAt`. */
export function currentDay(at: At): string {
  return `(
      SELECT CASE WHEN k.day < v_now / 86400000 - 1 THEN k.day ELSE v_now / 86400000 END
      FROM (SELECT coalesce(
        (SELECT max(h.hour) FROM ${at('usage_hours')} h WHERE h.hour <= v_now / 3600000 - 24) / 24,
        (SELECT max(d.day) FROM ${at('usage_days')} d WHERE d.day < v_now / 86400000)
      ) AS day) k
    )`
}

/**
 * The counts of a batch by hour, as queries of its statement: an hour outside those that are kept is
 * the nearest that is.
 */
export const COUNTED = `counted AS MATERIALIZED (
      SELECT c.id, greatest(v_first_hour, least(c.hour, v_now / 3600000))::integer AS hour,
        c.outcome, sum(c.count)::bigint AS count
      FROM jsonb_to_recordset(p->'history'->'counts')
        AS c (id text, hour bigint, outcome smallint, count bigint)
      GROUP BY 1, 2, 3
    )`

/** Adds those of keys that there are. */
export function addCounted(at: At): string {
  return `added AS (
      INSERT INTO ${at('usage_hours')} AS u (count, hour, outcome, id)
      SELECT c.count, c.hour, c.outcome, c.id FROM counted c JOIN held h USING (id)
      ON CONFLICT (hour, id, outcome)
        DO UPDATE SET count = least(u.count + excluded.count, ${Number.MAX_SAFE_INTEGER})
    )`
}

/** A few rows before the first period to keep, locked: a locked row can be found by its place. */
const oldRows = (at: At, period: 'hour' | 'day') => `old_${period}s AS MATERIALIZED (
      SELECT o.ctid AS place, o.${period}, o.id FROM ${at(`usage_${period}s`)} o
      WHERE o.${period} >= least(v_kept.first_${period}, p_${period}) AND o.${period} < p_${period}
      ORDER BY o.${period}, o.id, o.outcome LIMIT ${MOST_MOVED} FOR UPDATE SKIP LOCKED
    )`

/** Where the next call begins: a full call may have left rows of the last period that it took. */
const firstLeft = (period: 'hour' | 'day') => `(
      SELECT CASE WHEN count(*) = ${MOST_MOVED} THEN max(o.${period}) ELSE p_${period} END
      FROM old_${period}s o
    )`

/**
 * Moves hours before `p_hour` into days and drops days before `p_day`, a few at a time. One call at a
 * time does so, and it waits for nobody: rows of a key that is being deleted go with the key, so only
 * those whose key can be `held` are moved.
 */
export const moveOldUsage = (at: At) =>
  helper(
    `${at('move_old_usage')}(p_hour integer, p_day integer)`,
    'void',
    `
  DECLARE
    v_kept ${at('usage_retention')};
    v_first_hour integer;
  BEGIN
    SELECT r.* INTO STRICT v_kept FROM ${at('usage_retention')} r;
    IF v_kept.first_hour = p_hour AND v_kept.first_day = p_day THEN
      RETURN;
    END IF;
    SELECT r.* INTO v_kept FROM ${at('usage_retention')} r FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
      RETURN;
    END IF;
    WITH ${oldRows(at, 'hour')}, held AS MATERIALIZED (
      SELECT u.id FROM ${at('usage')} u WHERE u.id = ANY (ARRAY(SELECT o.id FROM old_hours o))
      ORDER BY u.id FOR KEY SHARE SKIP LOCKED
    ), moved AS (
      DELETE FROM ${at('usage_hours')} h
      WHERE h.ctid = ANY (ARRAY(SELECT o.place FROM old_hours o JOIN held USING (id))) RETURNING h.*
    ), added AS (
      INSERT INTO ${at('usage_days')} AS d (count, day, outcome, id)
      SELECT least(sum(m.count), ${Number.MAX_SAFE_INTEGER})::bigint, m.hour / 24, m.outcome, m.id
      FROM moved m GROUP BY m.hour / 24, m.outcome, m.id
      ON CONFLICT (day, id, outcome)
        DO UPDATE SET count = least(d.count + excluded.count, ${Number.MAX_SAFE_INTEGER})
    )
    SELECT ${firstLeft('hour')} INTO v_first_hour;
    WITH ${oldRows(at, 'day')}, dropped AS (
      DELETE FROM ${at('usage_days')} d
      WHERE d.ctid = ANY (ARRAY(SELECT o.place FROM old_days o))
    )
    UPDATE ${at('usage_retention')} SET first_hour = v_first_hour, first_day = ${firstLeft('day')};
  END`,
  )
