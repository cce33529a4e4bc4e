import type { Names } from '../../names.ts'

/** The columns of a key that may change; the guard on its identity covers all others. */
const CHANGEABLE = `'{revoked_at_ms,replaced_by}'::pg_catalog.text[]`

/**
 * What no program may do, ours included. The guards look at a row after all other triggers, so that
 * no trigger of another program can slip a change past them.
 */
export function guards(names: Names): string {
  const { at } = names
  return `
  CREATE FUNCTION ${at('refuse')}() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
  AS $body$
  BEGIN
    RAISE EXCEPTION 'miftah: % of % is refused: %', TG_OP, TG_TABLE_NAME, TG_ARGV[0]
      USING ERRCODE = 'restrict_violation';
  END
  $body$;
  ${onUpdate(
    names,
    'keys_identity',
    `${identityOf('NEW')} IS DISTINCT FROM ${identityOf('OLD')}`,
    'only a revocation changes a key',
  )}
  ${onUpdate(
    names,
    'keys_revocation',
    `OLD.revoked_at_ms IS NOT NULL AND
      (NEW.revoked_at_ms, NEW.replaced_by) IS DISTINCT FROM (OLD.revoked_at_ms, OLD.replaced_by)`,
    'a revocation is final',
  )}
  ${onUpdate(
    names,
    'usage_forward',
    'NEW.id <> OLD.id OR NEW.uses < OLD.uses',
    'uses are only counted up',
  )}
  ${onUpdate(
    names,
    'workspaces_forward',
    'NEW.workspace_id <> OLD.workspace_id OR NEW.changes < OLD.changes',
    'changes are only counted up',
  )}
  ${onUpdate(names, 'events_append_only', 'true', 'the audit log is only added to')}
  ${['keys', 'usage', 'workspaces', 'events'].map((table) => neverRemoved(names, table)).join('')}`
}

function identityOf(row: string): string {
  return `(pg_catalog.to_jsonb(${row}) - ${CHANGEABLE})`
}

function onUpdate({ at, bare }: Names, trigger: string, when: string, why: string): string {
  const [table = ''] = trigger.split('_')
  return `
  CREATE TRIGGER ${bare(trigger)} AFTER UPDATE ON ${at(table)}
    FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION ${at('refuse')}('${why}');`
}

function neverRemoved({ at, bare }: Names, table: string): string {
  const call = `EXECUTE FUNCTION ${at('refuse')}('its rows are kept')`
  return `
  CREATE TRIGGER ${bare(`${table}_kept`)} BEFORE DELETE ON ${at(table)}
    FOR EACH ROW ${call};
  CREATE TRIGGER ${bare(`${table}_never_emptied`)} BEFORE TRUNCATE ON ${at(table)}
    FOR EACH STATEMENT ${call};`
}
