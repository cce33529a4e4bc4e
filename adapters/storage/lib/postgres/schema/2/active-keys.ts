import { EXPIRED_AHEAD_MS } from '../../../decision.ts'
import { COUNTS_WITHOUT_END, countsUntilExpiry, hasExpired } from '../../../key-conditions.ts'
import type { Names } from '../../names.ts'

type At = Names['at']

/** How many keys of a workspace count towards the limit until somebody changes them, as a value in SQL. */
const keysWithoutEnd = (at: At, workspace: string) =>
  `(SELECT coalesce(pg_catalog.sum(w.keys_without_end), 0)::bigint
      FROM ${at('workspaces')} w WHERE w.workspace_id = ${workspace})`

/**
 * How many keys of a workspace are active or paused at an instant, as a value in SQL. It reads one row,
 * and the index of those keys that expire later.
 */
export function activeKeys(at: At, workspace: string, instant: string): string {
  return `(${keysWithoutEnd(at, workspace)} OPERATOR(pg_catalog.+)
      (SELECT pg_catalog.count(*) FROM ${at('keys')} x
        WHERE x.workspace_id = ${workspace} AND ${countsUntilExpiry(instant)}))`
}

/** Whether at least `v_limit` keys are active or paused at `v_at`; no more of them are read. */
export function reachesLimit(at: At): string {
  return `${keysWithoutEnd(at, 'v_workspace')} + (SELECT count(*) FROM (
        SELECT FROM ${at('keys')} x
        WHERE x.workspace_id = v_workspace AND ${countsUntilExpiry('v_at')} LIMIT v_limit
      ) AS up_to_limit) >= v_limit`
}

/** Notes which keys do not count any more at `v_at`, so that they stay expired. */
export function noteExpired(at: At): string {
  return `UPDATE ${at('workspaces')} w SET expired_to_ms = e.end_ms
        FROM (SELECT least(max(x.expires_at_ms), (date_part('epoch', clock_timestamp()) * 1000)::bigint
            + ${EXPIRED_AHEAD_MS}) AS end_ms
          FROM ${at('keys')} x WHERE x.workspace_id = v_workspace AND ${hasExpired('v_at')}
          HAVING max(x.expires_at_ms) IS NOT NULL) e
        WHERE w.workspace_id = v_workspace AND (w.expired_to_ms >= e.end_ms) IS NOT TRUE;`
}

/** What the count of a workspace `w` should be. */
function countedAgain(at: At): string {
  return `(SELECT pg_catalog.count(*) FROM ${at('keys')} x
        WHERE x.workspace_id OPERATOR(pg_catalog.=) w.workspace_id AND ${COUNTS_WITHOUT_END})`
}

/** The SQL that sets the counts of all workspaces right. */
export function countAllAgain(at: At): string {
  const count = countedAgain(at).replaceAll(/\s+/g, ' ')
  return `UPDATE ${at('workspaces')} w SET keys_without_end = ${count}`
}

/** How many workspaces have a wrong count, and how often one was repaired. */
export function wrongCounts(at: At): string {
  return `SELECT pg_catalog.json_build_object(
    'wrong', pg_catalog.count(*) FILTER (
      WHERE w.keys_without_end OPERATOR(pg_catalog.<>) ${countedAgain(at)}),
    'repaired', coalesce(pg_catalog.sum(w.recounts), 0))
  FROM ${at('workspaces')} w`
}

/**
 * Keeps the count in the step that changes a key, also when a key is revoked by hand. The triggers
 * run once for each statement, so that changing many keys at once costs no more than it has to.
 */
export function activeKeyCount({ at, bare }: Names): string {
  return `
  ALTER TABLE ${at('workspaces')}
    ADD COLUMN keys_without_end bigint NOT NULL DEFAULT 0
      CONSTRAINT ${bare('workspaces_keys_without_end')} CHECK (keys_without_end >= 0),
    -- The latest end of a key that did not count any more when keys were counted against a limit.
    ADD COLUMN expired_to_ms bigint,
    -- How often the count was found too low, and the keys were counted again.
    ADD COLUMN recounts bigint NOT NULL DEFAULT 0;
  ${added(at, at('keys'))};

  CREATE FUNCTION ${at('count_added_keys')}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
  AS $body$
  BEGIN
    ${added(at, 'added')};
    RETURN NULL;
  END
  $body$;
  CREATE TRIGGER ${bare('keys_counted')} AFTER INSERT ON ${at('keys')}
    REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION ${at('count_added_keys')}();

  CREATE FUNCTION ${at('count_changed_keys')}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
  AS $body$
  BEGIN
    -- A revocation must not fail because the count is too low.
    UPDATE ${at('workspaces')} w
      SET keys_without_end = CASE WHEN w.keys_without_end + c.change < 0
          THEN ${countedAgain(at)} ELSE w.keys_without_end + c.change END,
        recounts = w.recounts + CASE WHEN w.keys_without_end + c.change < 0 THEN 1 ELSE 0 END
      FROM (
        SELECT s.workspace_id, sum(s.counted) AS change FROM (
          SELECT k.workspace_id, 1 AS counted FROM changed k WHERE ${COUNTS_WITHOUT_END}
          UNION ALL
          SELECT k.workspace_id, -1 FROM former k WHERE ${COUNTS_WITHOUT_END}
        ) s GROUP BY s.workspace_id HAVING sum(s.counted) <> 0
      ) c
      WHERE w.workspace_id = c.workspace_id;
    RETURN NULL;
  END
  $body$;
  CREATE TRIGGER ${bare('keys_counted_again')} AFTER UPDATE ON ${at('keys')}
    REFERENCING OLD TABLE AS former NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION ${at('count_changed_keys')}();`
}

/** Adds the keys of a table to the counts of their workspaces. */
function added(at: At, keys: string): string {
  return `INSERT INTO ${at('workspaces')} AS w (workspace_id, changes, keys_without_end)
      SELECT k.workspace_id, 0, count(*) FROM ${keys} k WHERE ${COUNTS_WITHOUT_END}
      GROUP BY k.workspace_id ORDER BY k.workspace_id
      ON CONFLICT (workspace_id) DO UPDATE
        SET keys_without_end = w.keys_without_end + excluded.keys_without_end`
}
