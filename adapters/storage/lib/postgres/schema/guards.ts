import type { Names } from '../names.ts'

const IDENTITY = [
  ...['id', 'hash', 'workspace_id', 'seq', 'name', 'environment', 'scopes', 'prefix'],
  ...['creator_id', 'creator_name', 'created_at_ms', 'replaces'],
]

/**
 * Version 1: what no program may do, ours included. The guards look at a row after all others
 * have, so that no trigger of another program can slip a change past them.
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
  ${onUpdate(names, 'keys', 'identity', isChanged(IDENTITY), 'what a key is never changes')}
  ${onUpdate(
    names,
    'keys',
    'revocation',
    `OLD.revoked_at_ms IS NOT NULL AND ${isChanged(['revoked_at_ms', 'replaced_by'])}`,
    'a revocation is final',
  )}
  ${onUpdate(
    names,
    'workspaces',
    'forward',
    'NEW.workspace_id <> OLD.workspace_id OR NEW.changes <= OLD.changes',
    'changes are only counted up',
  )}
  ${onUpdate(names, 'events', 'append_only', 'true', 'the audit log is only added to')}
  ${['keys', 'workspaces', 'events'].map((table) => neverRemoved(names, table)).join('')}`
}

function isChanged(columns: readonly string[]): string {
  const of = (row: string) => columns.map((column) => `${row}.${column}`).join(', ')
  return `(${of('NEW')}) IS DISTINCT FROM (${of('OLD')})`
}

function onUpdate(names: Names, table: string, idea: string, when: string, why: string): string {
  const { at, bare } = names
  return `
  CREATE TRIGGER ${bare(`${table}_${idea}`)} AFTER UPDATE ON ${at(table)}
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
