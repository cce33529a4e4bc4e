import type { Names } from '../../names.ts'

/** The triggers of version 1. Released, and so never changed. */
export function guards({ at, bare }: Names): string {
  return `
  CREATE FUNCTION ${at('refuse')}() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
  AS $body$
  BEGIN
    RAISE EXCEPTION 'miftah: % of % is refused: %', TG_OP, TG_TABLE_NAME, TG_ARGV[0]
      USING ERRCODE = 'restrict_violation';
  END
  $body$;
  
  CREATE TRIGGER ${bare('keys_identity')} AFTER UPDATE ON ${at('keys')}
    FOR EACH ROW WHEN ((NEW.id, NEW.hash, NEW.workspace_id, NEW.seq, NEW.name, NEW.environment, NEW.scopes, NEW.prefix, NEW.creator_id, NEW.creator_name, NEW.created_at_ms, NEW.replaces) IS DISTINCT FROM (OLD.id, OLD.hash, OLD.workspace_id, OLD.seq, OLD.name, OLD.environment, OLD.scopes, OLD.prefix, OLD.creator_id, OLD.creator_name, OLD.created_at_ms, OLD.replaces)) EXECUTE FUNCTION ${at('refuse')}('what a key is never changes');
  
  CREATE TRIGGER ${bare('keys_revocation')} AFTER UPDATE ON ${at('keys')}
    FOR EACH ROW WHEN (OLD.revoked_at_ms IS NOT NULL AND (NEW.revoked_at_ms, NEW.replaced_by) IS DISTINCT FROM (OLD.revoked_at_ms, OLD.replaced_by)) EXECUTE FUNCTION ${at('refuse')}('a revocation is final');
  
  CREATE TRIGGER ${bare('workspaces_forward')} AFTER UPDATE ON ${at('workspaces')}
    FOR EACH ROW WHEN (NEW.workspace_id <> OLD.workspace_id OR NEW.changes <= OLD.changes) EXECUTE FUNCTION ${at('refuse')}('changes are only counted up');
  
  CREATE TRIGGER ${bare('events_append_only')} AFTER UPDATE ON ${at('events')}
    FOR EACH ROW WHEN (true) EXECUTE FUNCTION ${at('refuse')}('the audit log is only added to');
  
  CREATE TRIGGER ${bare('keys_kept')} BEFORE DELETE ON ${at('keys')}
    FOR EACH ROW EXECUTE FUNCTION ${at('refuse')}('its rows are kept');
  CREATE TRIGGER ${bare('keys_never_emptied')} BEFORE TRUNCATE ON ${at('keys')}
    FOR EACH STATEMENT EXECUTE FUNCTION ${at('refuse')}('its rows are kept');
  CREATE TRIGGER ${bare('workspaces_kept')} BEFORE DELETE ON ${at('workspaces')}
    FOR EACH ROW EXECUTE FUNCTION ${at('refuse')}('its rows are kept');
  CREATE TRIGGER ${bare('workspaces_never_emptied')} BEFORE TRUNCATE ON ${at('workspaces')}
    FOR EACH STATEMENT EXECUTE FUNCTION ${at('refuse')}('its rows are kept');
  CREATE TRIGGER ${bare('events_kept')} BEFORE DELETE ON ${at('events')}
    FOR EACH ROW EXECUTE FUNCTION ${at('refuse')}('its rows are kept');
  CREATE TRIGGER ${bare('events_never_emptied')} BEFORE TRUNCATE ON ${at('events')}
    FOR EACH STATEMENT EXECUTE FUNCTION ${at('refuse')}('its rows are kept');`
}
