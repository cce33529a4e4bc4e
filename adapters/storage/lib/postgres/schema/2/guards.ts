import { STATE_COLUMNS } from '../../../key-columns.ts'
import type { Names } from '../../names.ts'

/** The columns of a key that an update sets. */
const STATE = STATE_COLUMNS.map(({ name }) => name)

/** The columns of a key that may change; the guard on its identity covers all others. */
const CHANGEABLE = `'{${[
  ...STATE,
  ...['version', 'updated_at_ms', 'retires_at_ms', 'revoked_at_ms', 'replaced_by'],
].join(',')}}'::pg_catalog.text[]`

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
    'a key keeps what it was created with',
  )}
  ${onUpdate(
    names,
    'keys_revocation',
    'OLD.revoked_at_ms IS NOT NULL AND NEW IS DISTINCT FROM OLD',
    'a revocation is final',
  )}
  ${onUpdate(
    names,
    'keys_version',
    // Who revokes a key by hand need not count: a revoked key never changes again.
    `NEW IS DISTINCT FROM OLD AND NEW.version <> OLD.version + 1
      AND (NEW.version <> OLD.version OR NEW.revoked_at_ms IS NULL)`,
    'every change of a key adds 1 to its version',
  )}
  ${onUpdate(
    names,
    'keys_replacement',
    `OLD.replaced_by IS NOT NULL AND
      ${rowOf('NEW', ['replaced_by', ...STATE])} IS DISTINCT FROM ${rowOf('OLD', ['replaced_by', ...STATE])}`,
    'a key is replaced once, and does not change after that',
  )}
  ${onUpdate(
    names,
    'keys_retirement',
    'OLD.retires_at_ms IS NOT NULL AND (NEW.retires_at_ms <= OLD.retires_at_ms) IS NOT TRUE',
    'the end of an overlap never moves later',
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

function rowOf(row: string, columns: readonly string[]): string {
  return `(${columns.map((name) => `${row}.${name}`).join(', ')})`
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
