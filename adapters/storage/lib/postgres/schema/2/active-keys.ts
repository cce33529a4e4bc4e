import type { Names } from '../../names.ts'

type At = Names['at']

/**
 * Whether a row of `keys` counts towards the limit, now and until somebody changes it. Such keys are
 * counted in `workspaces.keys_without_end`. This is the one place where that is defined.
 */
function countsWithoutEnd(row: string): string {
  return `${row}.revoked_at_ms IS NULL`
}

/**
 * How many keys of a workspace count towards the limit, as a value in SQL. It costs the same however
 * many there are.
 */
export function activeKeys(at: At, workspace: string): string {
  return `(SELECT coalesce(pg_catalog.sum(w.keys_without_end), 0)::bigint
      FROM ${at('workspaces')} w WHERE w.workspace_id = ${workspace})`
}

/**
 * Keeps the count in the step that changes a key, also when a key is revoked by hand. The triggers
 * run once for each statement, so that changing many keys at once costs no more than it has to.
 */
export function activeKeyCount({ at, bare }: Names): string {
  return `
  ALTER TABLE ${at('workspaces')} ADD COLUMN keys_without_end bigint NOT NULL DEFAULT 0
    CONSTRAINT ${bare('workspaces_keys_without_end')} CHECK (keys_without_end >= 0);
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
    UPDATE ${at('workspaces')} w SET keys_without_end = w.keys_without_end + c.change
      FROM (
        SELECT s.workspace_id, sum(s.counted) AS change FROM (
          SELECT k.workspace_id, 1 AS counted FROM changed k WHERE ${countsWithoutEnd('k')}
          UNION ALL
          SELECT k.workspace_id, -1 FROM former k WHERE ${countsWithoutEnd('k')}
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
      SELECT k.workspace_id, 0, count(*) FROM ${keys} k WHERE ${countsWithoutEnd('k')}
      GROUP BY k.workspace_id ORDER BY k.workspace_id
      ON CONFLICT (workspace_id) DO UPDATE
        SET keys_without_end = w.keys_without_end + excluded.keys_without_end`
}
